"""Pages of members and of the graph of relationships."""
