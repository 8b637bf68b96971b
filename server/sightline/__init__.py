"""Sightline decides, exactly and provably, what an AI may see of a codebase."""

__version__ = "0.1.0"
