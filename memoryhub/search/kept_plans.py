"""Lists in PostgreSQL's statements as the planner does not see them, so that it keeps one plan for all of them.

A list that it sees seems cheaper to look for than any list would be, so it plans each time, as long as it then runs.
The guild it should see: guilds differ in size, and for one that is small beside others it does plan.
"""

LIST = "(SELECT %s::bigint[])::bigint[]"
WEIGHTS = "(SELECT %s::float8[])::float8[]"
