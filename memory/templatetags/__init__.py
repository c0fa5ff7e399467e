"""What the pages of memory can say: log lines and runs in sentences."""
