"""Every table is found, whatever made it."""

import pytest
from django.apps import apps
from django.db.models import AutoField, BooleanField, DateField, DecimalField, FloatField, ForeignKey, IntegerField

from memoryhub import db
from memoryhub.search import keywords
from tests.factories import make_guild

pytestmark = pytest.mark.django_db


def test_every_table_of_a_model_is_among_the_tables():
    assert {model._meta.db_table for model in apps.get_models(include_auto_created=True)} <= set(db.tables())


def test_the_tables_of_an_index_are_told_by_what_their_rows_are_about():
    keywords.put(kind="fact", rows=[keywords.TextRow(id=1, guild=make_guild().pk, subject=7, text="Lives in Toronto.")])
    assert not set(db.tables_with("guild")) & {model._meta.db_table for model in apps.get_models()}
    assert db.tables_with("no_such_column") == []


def test_the_size_of_the_database_is_known():
    assert db.size() > 0


def test_every_column_that_may_hold_words_is_told_from_those_of_numbers_and_moments():
    keywords.put(kind="fact", rows=[keywords.TextRow(id=1, guild=make_guild().pk, subject=7, text="Lives in Toronto.")])
    numbers = (AutoField, BooleanField, DateField, DecimalField, FloatField, ForeignKey, IntegerField)
    for model in apps.get_models(include_auto_created=True):
        with_text = {name.strip('"') for name in db.columns_with_text(model._meta.db_table)}
        others = {each.column: each for each in model._meta.concrete_fields if each.column not in with_text}
        assert with_text <= {each.column for each in model._meta.concrete_fields}
        assert {name for name, each in others.items() if not isinstance(each, numbers)} == set()
    of_index = [table for table in db.tables() if table.startswith("memoryhub_words")]
    assert of_index
    assert all(map(db.columns_with_text, of_index))


def test_nearly_no_number_is_looked_through_for_words():
    with_text = set(db.columns_with_text("notes_message"))
    assert with_text >= {'"text"', '"reply_to"', '"mentions"'}
    assert not with_text & {'"id"', '"sent_at"', '"deleted_at"', '"carries_instruction"'}
