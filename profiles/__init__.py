"""What each member is like, and who has to do with whom."""
