"""The context studio: what a bot would be handed."""
