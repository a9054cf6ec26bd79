"""Compaction: what leaves the prompt, what stands for it, and the receipt that says how much of it survived."""
