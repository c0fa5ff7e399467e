"""What a guild is told of its week or month: from what everybody in it may read, each line with its source."""
