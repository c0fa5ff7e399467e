"""What the designs that memoryhub joins did in their own way, kept as presets: docs/compatibility.md."""
