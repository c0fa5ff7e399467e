"""What the JSON API takes and gives about messages, questions, facts, papers and numbers."""
