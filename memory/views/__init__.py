"""Pages of what is known: memories, one fact, a member, the snapshot and the journals; settings, work and logs."""
