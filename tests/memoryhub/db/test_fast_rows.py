"""Rows that are written without Django's own way are the rows that it would have written."""

from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from memory.models import Fact, FactChange
from memoryhub import db
from memoryhub.db.guild_scope import inside
from memoryhub.models import ApiKey
from tests.factories import NOON, make_fact, make_guild, make_member

pytestmark = pytest.mark.django_db


def as_stored(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key}


def test_a_row_is_stored_as_save_would_store_it():
    def fact(text):
        guild = make_guild()
        told = {"text": text, "normalized": text, "said_at": NOON, "valid_from": NOON, "created_at": NOON}
        return Fact(guild=guild, subject=make_member(guild, "Alice"), pinned=True, confidence=0.9, **told)

    ours, theirs = fact("ours"), fact("theirs")
    db.insert(ours)
    theirs.save()
    rows = [as_stored(Fact.objects.get(pk=row.pk)) for row in (ours, theirs)]
    differing = {name for name in rows[0] if rows[0][name] != rows[1][name]}
    assert differing == {"text", "normalized", "updated_at"}


def test_rows_of_other_tables_come_with_each_row_and_are_handed_out_without_asking_again(django_assert_num_queries):
    guild = make_guild()
    fact, lore = (
        make_fact("Plays chess.", subject=make_member(guild, "Alice")),
        make_fact("Meets on Sunday.", guild=guild),
    )
    with django_assert_num_queries(1):
        found = db.read(Fact, "ORDER BY memory_fact.id", [], joined=("subject", "channel"))
        assert [(row, row.subject, row.channel) for row in found] == [(fact, fact.subject, None), (lore, None, None)]
        db.keep_related(found[0], "changes", [])
        assert list(found[0].changes.all()) == []


def test_json_and_uuid_are_stored_as_such():
    fact = make_fact("Plays chess.")
    change = FactChange(fact=fact, action="edit", before={"text": "Plays “go”."}, batch="0" * 32, actor="test")
    db.insert(change)
    found = FactChange.objects.get(pk=change.pk)
    assert (found.before, found.batch.hex) == ({"text": "Plays “go”."}, "0" * 32)


def test_rows_are_stored_under_the_ids_that_were_reserved_for_them_and_the_next_one_comes_after():
    guild, before = make_guild(), make_fact("Plays chess.").pk
    with transaction.atomic():
        first, second, unused = db.reserve_ids(Fact, 3)
        rows = [Fact(pk=pk, guild=guild, text=str(pk), normalized=str(pk), said_at=NOON) for pk in (first, second)]
        assert not Fact.objects.filter(pk=first).exists()
        db.insert_numbered(rows)
    assert before < first < second < unused
    assert list(Fact.objects.filter(pk__gt=before).order_by("pk")) == rows
    rows[0].pinned = True
    rows[0].save()
    assert Fact.objects.filter(pinned=True).get().pk == first
    assert make_fact("Plays go.").pk > second


def test_ids_can_be_reserved_before_the_first_row_and_again_after_a_transaction_that_was_given_up():
    with transaction.atomic():
        (given_up,) = db.reserve_ids(FactChange, 1)
        transaction.set_rollback(True)
    fact = make_fact("Plays chess.")
    with transaction.atomic():
        (number,) = db.reserve_ids(FactChange, 1)
        db.insert_numbered([FactChange(pk=number, fact=fact, action="edit", before={}, batch="0" * 32, actor="test")])
    assert number >= given_up
    assert FactChange.objects.get().pk == number


def test_a_stored_row_can_be_saved_again():
    fact = make_fact("Plays chess.")
    again = Fact(guild=fact.guild, text="Plays go.", normalized="plays go", said_at=NOON)
    db.insert(again)
    again.pinned = True
    again.save()
    assert Fact.objects.filter(pinned=True).get() == again


def test_the_guild_of_a_row_that_is_saved_again_is_looked_for_and_not_written(django_assert_num_queries):
    fact = make_fact("Plays chess.")
    fact.pinned = True
    for guild in (None, fact.guild):
        with inside(guild), django_assert_num_queries(1) as asked:
            fact.save()
        written, _, where = asked[0]["sql"].partition(" WHERE ")
        assert ('"guild_id" =' in written, '"guild_id" =' in where) == (False, True)


def test_a_row_that_breaks_a_rule_is_refused_and_the_transaction_goes_on():
    fact = make_fact("Plays chess.")
    with transaction.atomic():
        with pytest.raises(IntegrityError), db.trying():
            db.insert(Fact(guild=fact.guild, text="x", normalized="x", said_at=NOON, confidence=7))
        assert Fact.objects.count() == 1


def test_a_row_that_is_there_already_is_not_stored_again_and_the_transaction_goes_on():
    fact = make_fact("Plays chess.")
    told = {"guild": fact.guild, "subject": fact.subject, "said_at": NOON}
    with transaction.atomic():
        assert not db.insert_if_new(Fact(text="Plays chess!", normalized=fact.normalized, **told))
        other = Fact(text="Plays go.", normalized="plays go", **told)
        assert db.insert_if_new(other)
    assert set(Fact.objects.all()) == {fact, other}


def test_rows_of_several_tables_are_written_in_one_go():
    fact = make_fact("Plays chess.")
    changes = [FactChange(fact=fact, action="edit", before={}, batch="0" * 32, actor=str(n)) for n in range(103)]
    with transaction.atomic():
        (number,) = db.reserve_ids(Fact, 1)
        with db.in_one_go():
            db.append(changes[:101])
            db.insert_numbered([Fact(pk=number, guild=fact.guild, text="100 %", normalized="100", said_at=NOON)])
            with db.in_one_go():
                db.append(changes[101:])
                db.write(
                    "UPDATE memory_fact SET pinned = TRUE WHERE id = %s AND guild_id = %s", [fact.pk, fact.guild_id]
                )
            db.append([])
    assert {row.actor for row in FactChange.objects.all()} == {row.actor for row in changes}
    assert [(row.text, row.pinned) for row in Fact.objects.order_by("pk")] == [("Plays chess.", True), ("100 %", False)]


def test_what_is_too_much_for_one_statement_is_written_all_the_same(monkeypatch):
    fact = make_fact("Plays chess.")
    if hasattr(db.backend.dialect(), "MOST_VALUES"):
        monkeypatch.setattr(db.backend.dialect(), "MOST_VALUES", 100)
    with transaction.atomic(), db.in_one_go():
        for number in range(40):
            db.append([FactChange(fact=fact, action="edit", before={}, batch="0" * 32, actor=str(number))])
    assert FactChange.objects.count() == 40


def test_what_fails_in_one_go_is_told_as_elsewhere_and_nothing_of_it_is_stored():
    fact = make_fact("Plays chess.")
    twins = [Fact(guild=fact.guild, text="Plays go.", normalized="plays go", said_at=NOON) for _ in range(2)]
    change = FactChange(fact=fact, action="edit", before={}, batch="0" * 32, actor="test")

    def write():
        for row in (*twins, change):
            db.append([row])

    with pytest.raises(IntegrityError), transaction.atomic(), db.in_one_go():
        write()
    assert Fact.objects.get() == fact
    assert not FactChange.objects.exists()


@pytest.mark.sqlite_only("types of its cells")
def test_the_columns_hold_to_the_letter_what_django_writes():
    fact = make_fact("Plays chess.")
    there = NOON.astimezone(ZoneInfo("America/St_Johns")).replace(microsecond=250)
    told = {"before": {"said": ["“go”", 1.5, None], "at": "x"}, "batch": uuid4(), "actor": "test", "at": there}
    ours, theirs = (FactChange(fact=fact, action="edit", **told) for _ in range(2))
    db.insert(ours)
    theirs.save(force_insert=True)
    columns = ", ".join(f"{name}, typeof({name})" for name in ("before", "batch", "at", "undone", "actor"))
    rows = [
        db.select(f"SELECT {columns} FROM memory_factchange WHERE id = %s", [row.pk]) for row in (ours, theirs)
    ]  # fmt: skip
    assert rows[0] == rows[1]


def test_many_rows_are_stored_in_order_and_know_their_ids():
    guild = make_guild()
    facts = [Fact(guild=guild, text=f"Has {n} boats.", normalized=f"{n}", said_at=NOON) for n in range(205)]
    db.insert_all(facts)
    assert [fact.pk for fact in facts] == sorted(fact.pk for fact in facts)
    assert {fact.pk: fact.text for fact in Fact.objects.all()} == {fact.pk: fact.text for fact in facts}
    db.insert_all([])


def test_fields_are_written_as_save_would_write_them_and_no_others():
    ours, theirs = make_fact("Plays chess."), make_fact("Plays go.")
    there = NOON.astimezone(ZoneInfo("America/St_Johns"))
    for fact in (ours, theirs):
        fact.status, fact.valid_until, fact.replaced_by_id, fact.junk_signs = "archived", there, theirs.pk, ["vague"]
        fact.text = "not to be written"
    before = ours.updated_at
    names = ("status", "valid_until", "replaced_by_id", "junk_signs", "updated_at")
    db.update([ours], *names)
    theirs.save(update_fields=names)
    rows = [as_stored(Fact.objects.get(pk=row.pk)) for row in (ours, theirs)]
    assert rows[0]["updated_at"] > before
    assert {name for name in names if rows[0][name] != rows[1][name]} == {"updated_at"}
    assert [row["text"] for row in rows] == ["Plays chess.", "Plays go."]


def test_many_rows_are_changed_and_others_are_left():
    facts = [make_fact(text) for text in ("Plays chess.", "Plays go.", "Sails.")]
    for fact in facts:
        fact.pinned = True
    db.update(facts[:2], "pinned")
    assert set(Fact.objects.filter(pinned=True)) == set(facts[:2])


def test_rows_are_read_as_querysets_read_them():
    fact = make_fact("Plays chess.")
    fact.junk_signs, fact.pinned, fact.valid_from = ["vague"], True, NOON
    fact.save()
    change = FactChange.objects.create(fact=fact, action="edit", before={"text": "“go”"}, batch=uuid4(), actor="test")
    for ours in (fact, change):
        model = type(ours)
        (found,) = db.read(model, "WHERE guild_id = %s AND id = %s", [fact.guild_id, ours.pk])
        assert as_stored(found) == as_stored(model.objects.get(pk=ours.pk))
    found.undone = True
    found.save()
    assert FactChange.objects.get(undone=True) == change


def test_a_row_that_is_gone_is_not_changed_in_silence():
    fact = make_fact("Plays chess.")
    Fact.objects.all().delete()
    fact.pk = 1
    with pytest.raises(DatabaseError):
        db.update([fact], "pinned")


def test_a_joined_row_comes_with_each_row_and_none_where_there_is_none(django_assert_num_queries):
    for name, guild in (("bound", make_guild()), ("free", None)):
        ApiKey.objects.create(name=name, guild=guild, digest=name)
    with django_assert_num_queries(1):
        rows = db.read(ApiKey, "ORDER BY digest", [], joined=("guild",))
        assert [(row.name, row.guild and row.guild.key) for row in rows] == [("bound", "discord:1"), ("free", None)]
