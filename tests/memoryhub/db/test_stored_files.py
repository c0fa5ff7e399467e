"""Every table is found, whatever made it."""

import pytest
from django.apps import apps

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
