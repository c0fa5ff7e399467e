"""Finds who knows about something: the members who told of it themselves, with their own words as the source."""
