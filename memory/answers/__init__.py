"""Answers a member's question from memory, with the source of every sentence, or says that nothing is known."""
