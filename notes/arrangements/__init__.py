"""What was decided and what is planned: found by rules in what was said, kept with its message, told as it stands."""
