"""What a member may ask for: one registry of who holds their data, its erasure with a scan and a signed receipt."""

from memory.erasure.erase import (
    STEPS,
    ErasureRunning,
    begin,
    erase_now,
    find,
    finish_interrupted,
    finished,
    preview,
    request_erasure,
    run,
    steps_done,
)  # fmt: skip
from memory.erasure.receipt import Receipt, ReceiptInvalid, verify

__all__ = [
    "STEPS", "ErasureRunning", "Receipt", "ReceiptInvalid", "begin", "erase_now", "find", "finish_interrupted",
    "finished", "preview", "request_erasure", "run", "steps_done", "verify",
]  # fmt: skip
