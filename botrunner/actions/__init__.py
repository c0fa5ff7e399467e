"""What members and moderators do to memory through the bot, as plain functions that answer in text."""

from botrunner.actions.caller import Caller, load_caller

__all__ = ["Caller", "load_caller"]
