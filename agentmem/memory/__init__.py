"""The point of the project: what the agent remembers, as files. Its one door is `memory.py`."""
