"""Other stores of memory, measured beside ours: each runs in an environment of its own, asked over a pipe."""
