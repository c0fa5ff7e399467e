"""Pages of what was said and what happened: notes, messages, channels, and the graph of who has to do with whom."""
