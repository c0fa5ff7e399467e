"""The commands of the Discord door."""
