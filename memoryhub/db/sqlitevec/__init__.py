"""Django's SQLite backend with the sqlite-vec extension loaded: ENGINE = "memoryhub.db.sqlitevec"."""
