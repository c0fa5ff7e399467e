"""Who has to do with whom: counted by day, read as a graph, told as hints, with the messages behind it."""
