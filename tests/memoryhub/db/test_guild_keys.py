"""On PostgreSQL every key of a guild's table holds the guild: primary, foreign and unique."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models

from memoryhub.db.guild_scope import is_of_a_guild
from notes.models import Message
from tests.factories import make_channel, make_guild, make_member, make_message

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.postgres_only("SQLite's tables have keys of one column"),
]
OF_GUILDS = [model for model in apps.get_models() if is_of_a_guild(model)]
CONSTRAINTS = """SELECT con.contype, con.confrelid::regclass::text,
        array(SELECT attname::text FROM unnest(con.conkey) WITH ORDINALITY AS key(number, place)
              JOIN pg_attribute ON attrelid = con.conrelid AND attnum = number ORDER BY place),
        array(SELECT attname::text FROM unnest(con.confkey) WITH ORDINALITY AS key(number, place)
              JOIN pg_attribute ON attrelid = con.confrelid AND attnum = number ORDER BY place)
    FROM pg_constraint AS con WHERE con.conrelid = %s::regclass AND con.conparentid = 0"""
SLOW_KEYS = """SELECT conrelid::regclass::text, pg_get_constraintdef(con.oid) FROM pg_constraint AS con
    CROSS JOIN LATERAL (SELECT attname, attnum FROM pg_attribute
        WHERE attrelid = conrelid AND attnum = conkey[cardinality(conkey)]) AS own
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND NOT EXISTS (
        SELECT 1 FROM pg_index WHERE indrelid = conrelid
            AND coalesce(pg_get_expr(indpred, indrelid) = format('(%%I IS NOT NULL)', attname), true)
            AND (indkey[0] = attnum OR (indkey[0] = conkey[1] AND indkey[1] = attnum)))"""
UNIQUE = """SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
    WHERE indrelid = %s::regclass AND indisunique"""


def ask(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def keys(model, kind):
    return [row[1:] for row in ask(CONSTRAINTS, model._meta.db_table) if row[0] == kind]


@pytest.mark.parametrize("model", OF_GUILDS, ids=lambda model: model._meta.label)
def test_a_guilds_rows_are_told_apart_within_the_guild(model):
    assert [columns for _, columns, _ in keys(model, "p")] == [["guild_id", "id"]]


@pytest.mark.parametrize("model", OF_GUILDS, ids=lambda model: model._meta.label)
def test_a_row_can_only_name_rows_of_its_own_guild(model):
    named = [field for field in model._meta.local_fields if isinstance(field, models.ForeignKey)]
    wanted = {
        (field.related_model._meta.db_table, ("guild_id", field.column), ("guild_id", "id"))
        if is_of_a_guild(field.related_model)
        else (field.related_model._meta.db_table, (field.column,), ("id",))
        for field in named
    }
    assert {(table, tuple(here), tuple(there)) for table, here, there in keys(model, "f")} == wanted


@pytest.mark.parametrize("model", OF_GUILDS, ids=lambda model: model._meta.label)
def test_whatever_is_unique_in_a_guilds_table_holds_the_guild(model):
    unique = ask(UNIQUE, model._meta.db_table)
    assert unique
    assert [name for name, sql in unique if "guild_id" not in sql] == []


def test_what_points_at_a_row_is_found_by_an_index_when_the_row_goes():
    assert ask(SLOW_KEYS) == []


def test_a_message_cannot_name_another_guilds_channel():
    ours, theirs = make_channel(), make_channel(make_guild("discord:2"))
    message = make_message(channel=ours, author=make_member(ours.guild))
    Message.objects.filter(pk=message.pk).update(channel=theirs)
    with pytest.raises(IntegrityError):
        connection.check_constraints()
