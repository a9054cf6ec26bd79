"""The words of agentmem as frozen values: standard library only, no input or output."""
