"""What the index is compared with: its limits, measured inside a process, and its peers."""
