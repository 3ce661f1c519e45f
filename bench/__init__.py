"""Measures speed and memory, as ratios of what the same machine does in the same minute."""
