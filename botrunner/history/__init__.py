"""What was said while the bot was away or before it came."""
