"""Manage (P): what keeps memory small and true."""
