"""Who and where: guilds, channels, members, and whether a member may be remembered."""
