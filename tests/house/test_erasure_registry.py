"""Every table with a member or with words in it is some holder's, so that an erasure and an export reach it."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import CharField, ForeignKey, JSONField, ManyToManyField, Model, TextField

from memory.erasure import scan
from memory.erasure.registry import HOLD_NOTHING, HOLDERS
from memory.erasure.scan import KEPT, OTHERS_TABLES, OTHERS_WORDS
from memoryhub.community.models import Channel, Guild, Member

OF_PEOPLE = (Member, Channel, Guild)
ADVICE = "Name it in a holder of memory/erasure, and see that its `erase` reaches it, or in HOLD_NOTHING."


def holds_something(model: type[Model]) -> bool:
    fields = [*model._meta.concrete_fields, *model._meta.many_to_many]
    links = [each for each in fields if isinstance(each, ForeignKey | ManyToManyField)]
    texts = [each for each in fields if isinstance(each, CharField | TextField | JSONField)]
    return bool(texts) or any(each.related_model in OF_PEOPLE for each in links) or model._meta.auto_created


def test_every_table_with_a_member_or_a_text_has_a_holder():
    held = {label for holder in HOLDERS for label in holder.models} | HOLD_NOTHING.keys()
    models = [each for each in apps.get_models(include_auto_created=True) if holds_something(each)]
    assert len(models) > 40
    assert [each._meta.label for each in models if each._meta.label not in held] == [], ADVICE


def test_the_registry_names_only_tables_that_there_are_each_once():
    labels = [label for holder in HOLDERS for label in holder.models] + list(HOLD_NOTHING)
    assert sorted(labels) == sorted(set(labels))
    there = {each._meta.label for each in apps.get_models(include_auto_created=True)}
    assert set(labels) - there == set()


def test_every_holder_says_in_a_sentence_what_it_holds():
    assert [holder.name for holder in HOLDERS if not holder.holds.endswith(".")] == []
    assert len({holder.name for holder in HOLDERS}) == len(HOLDERS)


@pytest.mark.parametrize("column", sorted(scan.OTHERS_WORDS | scan.KEPT))
def test_the_scan_passes_over_columns_that_there_are(column):
    label, _, field = column.rpartition(".")
    assert apps.get_model(label)._meta.get_field(field)


@pytest.mark.django_db
def test_the_scan_passes_over_tables_that_there_are():
    there = connection.introspection.table_names()
    assert [name for name in scan.OTHERS_TABLES if not any(table.startswith(name) for table in there)] == [
        "memoryhub_words_v1_message_"  # made by the first message
    ]


def test_the_scan_excuses_only_columns_and_tables_that_there_are():
    columns = {f"{model._meta.label}.{column.name}" for model in apps.get_models() for column in model._meta.fields}
    assert (KEPT | OTHERS_WORDS) - columns == set()
    tables = {model._meta.db_table for model in apps.get_models()} | {"memoryhub_words_v1_message_"}
    assert set(OTHERS_TABLES) - tables == set()
