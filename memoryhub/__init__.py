"""The front hall: settings, URLs, sign-in, the API root; below stairs models, vectors, words and the database."""
