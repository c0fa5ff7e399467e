"""What the JSON API takes and gives about messages, searches, facts, snapshots and numbers."""
