"""Pages of what was said and what happened: notes, channels, plans and decisions."""
