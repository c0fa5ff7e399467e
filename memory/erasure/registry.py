"""The one list of who holds data of members, in the order in which they erase it; and of tables that hold none."""

from memory.erasure.holder import Holder
from memory.erasure.holders_facts import CHOICES, FACTS, PROFILES, RELATIONSHIPS
from memory.erasure.holders_files import EXPORTS, PAPERS
from memory.erasure.holders_logs import ACTIONS, ADMIN_LOG, ANSWERS, AUDIT, MODEL_CALLS, QUEUE, SIGNATURES
from memory.erasure.holders_members import GUILDS, MEMBERS, READING
from memory.erasure.holders_messages import BUFFERS, COUNTS, MENTIONS, MESSAGES, NOTES, QUESTIONS, SUMMARIES

HOLDERS: tuple[Holder, ...] = (
    READING, EXPORTS, QUEUE, ANSWERS, MESSAGES, MENTIONS, NOTES, SUMMARIES, QUESTIONS, BUFFERS, FACTS, PROFILES,
    RELATIONSHIPS, CHOICES, PAPERS, SIGNATURES, ACTIONS, AUDIT, ADMIN_LOG, MODEL_CALLS, COUNTS, MEMBERS, GUILDS,
)  # fmt: skip

HOLD_NOTHING: dict[str, str] = {
    "memory.Erasure": "counts and a keyed hash; it is the receipt's own row",
    "auth.User": "operators and moderators of the hub, who are no members by that",
    "auth.Group": "groups of operators",
    "auth.Permission": "names of what may be done",
    "auth.Group_permissions": "ids of the two above",
    "auth.User_groups": "ids of operators and groups",
    "auth.User_user_permissions": "ids of operators and permissions",
    "contenttypes.ContentType": "names of tables",
    "sessions.Session": "who of the operators is signed in",
    "axes.AccessAttempt": "who tried to sign in",
    "axes.AccessAttemptExpiration": "who tried to sign in",
    "axes.AccessFailureLog": "who tried to sign in",
    "axes.AccessLog": "who tried to sign in",
}
"""Tables with text in them that is nobody's memory, and what it is."""
