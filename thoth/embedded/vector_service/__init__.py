"""Qdrant Edge behind Qdrant's own REST paths, on loopback."""
