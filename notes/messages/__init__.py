"""Messages and the conversations they form: stored, counted, opened, closed, claimed."""
