"""Builds what a bot is handed before it replies: collected, fitted to a token budget, rendered."""
