"""What points at a row is found by an index: SQLite looks for it each time a row is deleted.

PostgreSQL's indexes are looked at in `memoryhub/db/test_guild_keys.py`.
"""

import pytest
from django.db import connection

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.sqlite_only("its query plan"),
]


@pytest.mark.parametrize(
    "condition",
    [
        "memory_fact WHERE guild_id = %s", "memory_fact WHERE subject_id = %s", "memory_fact WHERE channel_id = %s",
        "memory_fact WHERE audience_id = %s", "memory_fact WHERE replaced_by_id = %s",
        "memory_evidence WHERE fact_id = %s", "memory_evidence WHERE message_id = %s",
        "memory_evidence WHERE speaker_id = %s", "memory_factchange WHERE fact_id = %s",
        "notes_message WHERE guild_id = %s", "notes_message WHERE channel_id = %s",
        "notes_message WHERE author_id = %s", "notes_message WHERE buffer_id = %s",
    ],
)  # fmt: skip
def test_what_points_at_a_row_is_found_without_reading_the_table(condition):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN SELECT id FROM {condition}", [1])
        plan = " ".join(row[3] for row in cursor.fetchall())
    assert plan.startswith("SEARCH"), plan
