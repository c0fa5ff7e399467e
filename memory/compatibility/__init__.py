"""Presets that rank, choose and write as the designs did that memoryhub joins: docs/compatibility.md."""
