"""The ground, from the database to the building blocks of pages; on top, in `site`, this site's own pages and API."""
