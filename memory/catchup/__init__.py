"""What somebody missed: what concerns them, what was decided, what was talked about. By rules, from what is known."""
