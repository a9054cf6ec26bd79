"""Read (R): from files to a prompt."""
