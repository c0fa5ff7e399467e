"""What is heard on Discord, filtered, converted and written."""
