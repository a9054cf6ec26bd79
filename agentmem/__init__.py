"""agentmem: a coding agent for the terminal whose whole memory is files."""

__version__ = "0.1.0"
