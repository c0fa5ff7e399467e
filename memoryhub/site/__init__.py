"""This site's own doors: the JSON API's root, sign-in, home, health, audit, and the pages of operators."""
