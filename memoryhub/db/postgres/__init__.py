"""Django's PostgreSQL backend as the hub uses it: ENGINE = "memoryhub.db.postgres"."""
