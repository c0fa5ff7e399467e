"""Takes memory back when its source goes: deletions, closed channels, retention, limits."""
