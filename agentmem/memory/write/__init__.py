"""Write (W): what happened, and what is claimed."""
