"""The audit log in sentences: what stands behind the name of a page or a route, and who a signature is."""

from __future__ import annotations

from collections.abc import Mapping

from memoryhub.community import signatures
from memoryhub.models import AuditEntry

PAGES: Mapping[str, tuple[str, str]] = {
    "home": ("the home page", ""),
    "catchup": ("what happened since a day", ""),
    "recaps": ("the list of recaps", ""),
    "write-recap": ("", "Had a recap written"),
    "recap": ("a recap", "Edited, posted or discarded a recap"),
    "find": ("what a search of everything finds", ""),
    "memories": ("the list of memories", ""),
    "fact": ("a memory", ""),
    "pin-fact": ("", "Pinned or unpinned a memory"),
    "change-fact": ("", "Archived, restored or undid a memory"),
    "change-facts": ("several memories, to change them", "Changed several memories"),
    "undo-facts": ("", "Undid changes of memories"),
    "settle-fact": ("", "Settled whether two memories contradict each other"),
    "correct-fact": ("a memory, to edit it", "Edited a memory"),
    "delete-fact": ("a memory, to delete it", "Deleted a memory"),
    "message": ("a message and what was learned from it", ""),
    "review": ("the memories that wait for approval", "Approved or refused memories"),
    "reword-fact": ("a waiting memory, to edit it", "Approved a memory in other words"),
    "studio": ("what a bot is handed", ""),
    "ask-memory": ("what is known", "Asked what is known"),
    "ask": ("what is known", "Asked what is known"),
    "members": ("the list of members", ""),
    "member": ("a member’s page", ""),
    "export-member": ("an export of a member", "Exported a member"),
    "link-export": ("", "Made a link to an export of a member"),
    "export": ("an export, by its link", ""),
    "erase-member": ("what erasing a member would take", "Erased a member"),
    "erased": ("the receipt of an erasure", ""),
    "disown-member": ("what forgetting a member’s words would take", "Forgot what a member said"),
    "choose-consent": ("", "Set whether a member is remembered"),
    "choose-findable": ("", "Set whether a member is found by what they know"),
    "who-knows": ("who knows about something", ""),
    "add-entry": ("", "Added a line to a profile"),
    "entry": ("a line of a profile", "Changed a line of a profile"),
    "receipts": ("the check of receipts", "Checked a receipt"),
    "notes": ("the notes", ""),
    "note": ("a note", ""),
    "plans": ("the plans and decisions", ""),
    "plans-calendar": ("the plans, as a calendar", ""),
    "put-plan-aside": ("", "Put a plan or decision aside, or took that back"),
    "channels": ("the list of channels", ""),
    "channel": ("a channel", ""),
    "summarize-channel": ("a channel, to sum it up", "Had a channel summed up"),
    "flush-channel": ("a channel, to end its conversation", "Ended a conversation"),
    "switch-channel": ("a channel’s switch of memory", "Turned memory on or off in a channel"),
    "graph": ("the graph", ""),
    "switch-graph": ("the switch of the graph", "Turned the graph on or off"),
    "relationship": ("what two members have to do with each other", "Changed what is told of two members"),
    "snapshot": ("the snapshot", ""),
    "refresh-snapshot": ("", "Wrote the snapshot anew"),
    "download-snapshot": ("the snapshot, as a file", ""),
    "journal": ("the journal of a day", ""),
    "download-journal": ("the journal of a day, as a file", ""),
    "work": ("the jobs", ""),
    "replay": ("", "Had failed work tried again"),
    "run-night": ("", "Started a nightly run"),
    "model-calls": ("the model calls", ""),
    "actions": ("the action log", ""),
    "guild-settings": ("the settings", "Changed settings"),
    "undo-settings": ("", "Undid a change of settings"),
    "webhooks": ("the webhooks", "Added a webhook"),
    "remove-webhook": ("a webhook, to remove it", "Removed a webhook"),
    "replay-webhook": ("", "Had a webhook tried again"),
    "people": ("the people who may sign in", ""),
    "add-person": ("", "Invited a person"),
    "change-role": ("a person’s role", "Changed a person’s role"),
    "dismiss": ("", "Closed or opened an account"),
    "new-password": ("a person’s password, to change it", "Gave a person a new password"),
    "keys": ("the API keys", ""),
    "add-key": ("", "Created an API key"),
    "revoke-key": ("an API key, to revoke it", "Revoked an API key"),
    "audit": ("the audit log", ""),
    "load-sample": ("", "Loaded the sample community"),
    "mcp:search_memory": ("what a search of memory finds", ""),
    "mcp:ask_memory": ("what is known", ""),
    "mcp:catch_up": ("what somebody missed", ""),
    "mcp:who_knows": ("who knows about something", ""),
    "mcp:list_memories": ("the list of memories", ""),
    "mcp:member_profile": ("a member’s profile", ""),
    "mcp:channel_summary": ("a channel’s summary", ""),
    "mcp:why": ("what a memory rests on", ""),
    "mcp:remember": ("", "Added a memory"),
    "mcp:correct_memory": ("", "Edited a memory"),
    "mcp:forget": ("", "Deleted a memory"),
    "mcp:snapshot": ("the snapshot", ""),
    "mcp:journal": ("the journal of a day", ""),
}
"""By the name of a page, or of a tool for models: what is looked at, and what is done; one may be nothing."""

DONE = {
    "add": "Added", "catch": "Caught up", "approve": "Approved", "ask": "Asked", "block": "Blocked or unblocked",
    "build": "Asked for", "change": "Changed",
    "clear": "Took back what was set of", "count": "Counted", "create": "Created", "decide": "Decided",
    "delete": "Deleted", "edit": "Edited", "entities": "Listed", "erase": "Erased", "export": "Exported",
    "find": "Looked for",
    "flush": "Ended the conversation of", "follow": "Followed", "forget": "Deleted", "get": "Looked at",
    "give": "Gave", "history": "Looked at the history of", "list": "Listed", "ping": "Asked for", "put": "Stored",
    "receive": "Handed over", "refresh": "Had {} renewed", "refuse": "Refused", "refused": "Asked for",
    "remember": "Added", "remove": "Removed", "replay": "Had {} tried again", "search": "Searched", "set": "Set",
    "show": "Looked at", "start": "Started", "summarize": "Had {} summed up", "switch": "Turned {} on or off",
    "undo": "Undid", "update": "Changed", "verify": "Checked",
}  # fmt: skip
"""By the first word of a route of the API: what it does, with {} where its things stand if not at the end."""

THINGS = {
    "fact": "memory", "facts": "memories", "entry": "line of a profile", "entries": "lines of profiles",
    "edges": "graph", "batch": "messages", "flat": "memories", "parked": "failed work", "stats": "statistics",
    "derived": "what was learned from a message", "on": "on", "below": "", "v1": "", "v2": "", "v3": "",
    "findable": "whether a member is found by what they know",
    "namespaces": "namespaces of agents", "item": "item of an agent", "items": "items of agents",
}  # fmt: skip
"""Words of routes that people call something else."""


def in_words(entry: AuditEntry) -> str:
    """Return what an entry tells as a sentence without its row."""
    name = entry.what
    if name.startswith("admin:"):
        return _of_admin(name.removeprefix("admin:"), entry)
    changed = entry.verb == AuditEntry.Verb.CHANGED
    if name in PAGES and (told := PAGES[name][changed]):
        return told if changed else f"Looked at {told}"
    verb, _, rest = name.partition("_")
    things = " ".join(filter(None, (THINGS.get(word, word) for word in rest.split("_"))))
    if verb in DONE:
        deed = DONE[verb] if "{}" in DONE[verb] else f"{DONE[verb]} {{}}"
        return " ".join(deed.format(things).split())
    return name.replace("_", " ").replace("-", " ").capitalize()


def _of_admin(name: str, entry: AuditEntry) -> str:
    """Say which of Django's own pages it was: their names end with what is done there."""
    model, _, deed = name.rpartition("_")
    verb = "Changed" if entry.verb == AuditEntry.Verb.CHANGED else "Looked at"
    return f"{verb} the table {model.replace('_', ' ')} in the admin ({deed})" if model else f"{verb} the admin"


def who(actor: str) -> tuple[str, str]:
    """Return the name that signed, and what kind of caller that is."""
    door, name = signatures.parse(actor)
    return (name, {"api": "API key"}.get(door, door)) if name else (actor, "")
