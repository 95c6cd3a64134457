"""Unattended sessions over a file of questions, and the comparison of their results with golds."""
