"""Building blocks that every page and every JSON route share."""
