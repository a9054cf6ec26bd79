"""Recall: from a query to the memories that answer it, best first."""
