"""How the web server serves: two processes with a few threads, and room in an address for the longest question."""

from gunicorn.http import message

# A question of 2,000 characters takes 24,000 bytes of an address where each is four percent-encoded bytes.
LONGEST_ADDRESS = 32 * 1024
message.MAX_REQUEST_LINE = LONGEST_ADDRESS  # gunicorn's own ceiling, to which it lowers any setting above it

limit_request_line = LONGEST_ADDRESS
workers = 2
threads = 4
worker_class = "gthread"
max_requests = 20_000
max_requests_jitter = 2_000
loglevel = "warning"
