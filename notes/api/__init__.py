"""JSON routes of notes and of channels."""
