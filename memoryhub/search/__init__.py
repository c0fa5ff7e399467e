"""Finds rows by words and by meaning, always inside one guild and one audience."""
