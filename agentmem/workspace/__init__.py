"""The user's files and processes: paths, permission."""
