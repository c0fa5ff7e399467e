"""What a member may ask for: one registry of who holds their data, its erasure with a scan and a signed receipt."""

from memory.erasure.erase import erase_channel, erase_member, finish_interrupted, preview, purge_guild, resume_erasure
from memory.erasure.receipt import Receipt, ReceiptInvalid, verify

__all__ = [
    "Receipt", "ReceiptInvalid", "erase_channel", "erase_member", "finish_interrupted", "preview", "purge_guild",
    "resume_erasure", "verify",
]  # fmt: skip
