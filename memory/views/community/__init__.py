"""Pages of what a community gets out of its memory: answers, what somebody missed, recaps, who knows."""
