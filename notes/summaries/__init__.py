"""Summaries of channels, the questions they leave open, and the topics of a day."""
