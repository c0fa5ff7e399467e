"""What was said and what happened: messages, buffers, notes, summaries, journal."""
