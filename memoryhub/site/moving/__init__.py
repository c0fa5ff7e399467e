"""Moves everything that is stored into another, empty database: `manage.py move_database`."""
