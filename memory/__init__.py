"""What we know and how it is used: facts, recall, context, forgetting; it conducts the whole pipeline."""
