"""What a member may ask for: one registry of who holds their data, its erasure with a scan and a signed receipt."""

from memory.erasure.erase import erase_channel, erase_member, finish_interrupted, preview, purge_guild, resume_erasure
from memory.erasure.holder import Holder
from memory.erasure.receipt import Receipt, ReceiptInvalid, verify
from memory.erasure.registry import HOLDERS

__all__ = [
    "HOLDERS",
    "Holder",
    "Receipt",
    "ReceiptInvalid",
    "describe",
    "erase_channel",
    "erase_member",
    "finish_interrupted",
    "preview",
    "purge_guild",
    "resume_erasure",
    "verify",
]


def describe() -> list[tuple[str, str]]:
    """Return who holds data of members, and in a sentence what."""
    return [(holder.name, holder.holds) for holder in HOLDERS]
