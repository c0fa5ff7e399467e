"""Pages of the front hall: home, and what operators keep in order: people, keys, the audit log."""
