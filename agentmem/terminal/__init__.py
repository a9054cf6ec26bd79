"""The interactive face: prompt-toolkit in, rich out."""
