"""The migration of the app `database`, which is applied before every other."""
