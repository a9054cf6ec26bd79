"""What the model may do: one module a tool; the one list of them is `tools`."""
