"""What a fact is: its kinds, its certainty, its history, and the only way it changes."""
