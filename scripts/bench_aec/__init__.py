"""Runs echo cancellers over simulated rooms and tabulates what they achieve."""
