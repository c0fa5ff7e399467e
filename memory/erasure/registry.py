"""The one list of who holds data of members, in the order in which they erase it; and of tables that hold none."""

from memory.erasure.holder import Holder
from memory.erasure.holders_facts import Choices, Facts, FromAgents, FromClients, Profiles, Relationships
from memory.erasure.holders_logs import (
    Actions,
    AdminLog,
    Answers,
    Audit,
    ModelCalls,
    Queue,
    SavedFilters,
    Signatures,
)
from memory.erasure.holders_members import Exports, Guilds, Members, Papers, Reading
from memory.erasure.holders_messages import (
    Arrangements,
    Conversations,
    Counts,
    Mentions,
    Messages,
    Notes,
    Questions,
    Recaps,
    Summaries,
)

HOLDERS: tuple[Holder, ...] = (
    Reading(), Exports(), Queue(), Answers(), SavedFilters(), FromClients(), FromAgents(), Recaps(), Profiles(),
    Facts(), Notes(), Messages(), Mentions(), Summaries(), Questions(), Arrangements(), Conversations(),
    Relationships(), Choices(), Papers(), Signatures(), Actions(), Audit(), AdminLog(), ModelCalls(), Counts(),
    Members(), Guilds(),
)  # fmt: skip

HOLD_NOTHING: dict[str, str] = {
    "community.DueWork": "That background work may be due in a guild.",
    "community.Event": "Kinds of changes and numbers of rows.",
    "memory.EmbeddedTo": "up to which row a guild's are embedded",
    "memory.Webhook": "addresses of programs, as moderators and keys set them",
    "memory.ModeratorLog": "how far moderators were told of the action log",
    "memory.Erasure": "counts and a keyed hash; it is the receipt's own row",
    "community.GuildFigures": "how much a guild has",
    "memory.ErasureNeedles": "what an open erasure looks for; it goes with the receipt",
    "auth.User": "operators and moderators of the hub, who are no members by that",
    "auth.Group": "groups of operators",
    "auth.Permission": "names of what may be done",
    "auth.Group_permissions": "ids of the two above",
    "auth.User_groups": "ids of operators and groups",
    "auth.User_user_permissions": "ids of operators and permissions",
    "contenttypes.ContentType": "names of tables",
    "sessions.Session": "who of the operators is signed in",
    "botrunner.Shard": "which process runs a share of the bot",
    "botrunner.BotProcess": "names of processes",
    "memoryhub.SharedNote": "names of services that do not answer",
    "axes.AccessAttempt": "who tried to sign in",
    "axes.AccessAttemptExpiration": "who tried to sign in",
    "axes.AccessFailureLog": "who tried to sign in",
    "axes.AccessLog": "who tried to sign in",
}
"""Tables with text in them that is nobody's memory, and what it is."""
