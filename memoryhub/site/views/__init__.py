"""Pages of the site itself: home, privacy, and what operators manage: people, keys, the audit log."""
