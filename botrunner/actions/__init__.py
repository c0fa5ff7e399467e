"""The desk at which members ask about memory and change it: each function answers in plain text, none knows Discord."""

from botrunner.actions.caller import Caller, registered

__all__ = ["Caller", "registered"]
