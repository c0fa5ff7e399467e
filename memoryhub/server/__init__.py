"""Processes: what `manage.py run` starts, supervises and ends."""
