"""The front door's own commands."""
