"""Recall, measured: on public dialogues, on coding sessions, on changed facts, on what has no answer, and its speed."""
