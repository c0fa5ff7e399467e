"""Who and where: guilds, channels, members, consent, what each member is like, who knows whom."""
