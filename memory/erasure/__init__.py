"""What a member may ask for: one registry of who holds their data, its erasure with a scan and a signed receipt."""

from memory.erasure.erase import (
    ErasureRunning,
    begin,
    erase_now,
    find,
    finish_interrupted,
    finished,
    preview,
    purged_at,
    request_erasure,
    run,
    signed_with_another_key,
)  # fmt: skip
from memory.erasure.erasure_progress import DOING, STEPS, doing, steps_done
from memory.erasure.receipt import LOST_KEY, Receipt, ReceiptInvalid, verify

__all__ = [
    "DOING", "LOST_KEY", "STEPS", "ErasureRunning", "Receipt", "ReceiptInvalid", "begin", "doing", "erase_now", "find",
    "finish_interrupted", "finished", "preview", "purged_at", "request_erasure", "run", "signed_with_another_key",
    "steps_done", "verify",
]  # fmt: skip
