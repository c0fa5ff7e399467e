"""Date phrases by the time of the message."""

from datetime import UTC, date, datetime, time

import pytest

from memoryhub.language import dates

MONDAY = datetime(2026, 2, 23, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("today", date(2026, 2, 23)),
        ("yesterday", date(2026, 2, 22)),
        ("the day before yesterday", date(2026, 2, 21)),
        ("tomorrow", date(2026, 2, 24)),
        ("tmrw", date(2026, 2, 24)),
        ("last week", date(2026, 2, 16)),
        ("last weekend", date(2026, 2, 21)),
        ("last Friday", date(2026, 2, 20)),
        ("next Monday", date(2026, 3, 2)),
        ("next month", date(2026, 3, 1)),
        ("last year", date(2025, 1, 1)),
        ("last spring", date(2025, 3, 1)),
        ("last winter", date(2024, 12, 1)),
        ("this summer", date(2025, 6, 1)),
        ("last March", date(2025, 3, 1)),
        ("in January", date(2026, 1, 1)),
        ("two weeks ago", date(2026, 2, 9)),
        ("a couple of months ago", date(2025, 12, 1)),
        ("three years ago", date(2023, 1, 1)),
        ("in two days", date(2026, 2, 25)),
        ("since 2015", date(2015, 1, 1)),
        ("in early 2024", date(2024, 1, 1)),
        ("March 2024", date(2024, 3, 1)),
        ("5 May 2023", date(2023, 5, 5)),
        ("on the 3rd of May", date(2025, 5, 3)),
        ("2026-01-02", date(2026, 1, 2)),
        ("ayer", date(2026, 2, 22)),
        ("hace dos años", date(2024, 1, 1)),
        ("vor drei Jahren", date(2023, 1, 1)),
        ("letzte Woche", date(2026, 2, 16)),
        ("l'année dernière", date(2025, 1, 1)),
        ("no ano passado", date(2025, 1, 1)),
        ("am 14. März", date(2026, 3, 14)),
        ("am 3.2., 20 Uhr", date(2026, 2, 3)),
        ("le 14 mars", date(2026, 3, 14)),
        ("el 3 de marzo", date(2026, 3, 3)),
        ("12-14 March", date(2026, 3, 12)),
        ("12th to 14th of March", date(2026, 3, 12)),
        ("12. bis 14. März", date(2026, 3, 12)),
        ("Friday the 13th", date(2026, 3, 13)),
    ],
)
def test_a_phrase_names_its_first_day(phrase, day):
    assert dates.resolve(phrase, said_at=MONDAY) == day


@pytest.mark.parametrize(
    "text",
    ["may I ask", "I march on", "the next room", "in the summer", "2000 people", "a few years ago", "on Fridays",
     "900 years ago", "2000 boxes of 12", "my birthday is March 3rd", "since forever",
     "on 9999-12-31", "before 0001-01-01"],
)  # fmt: skip
def test_what_is_no_date_stays_none(text):
    assert dates.resolve(text, said_at=MONDAY) is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("moved to Toronto last spring", "moved to Toronto in spring 2025"),
        ("started yesterday", "started on 22 February 2026"),
        ("since last year", "since 2025"),
        ("ran it last winter", "ran it in winter 2024/25"),
        ("camped last weekend", "camped on the weekend of 21 February 2026"),
        ("met last week and again two months ago", "met in the week of 16 February 2026 and again in December 2025"),
        ("I will move in June", "I will move in June 2026"),
        ("I moved in June", "I moved in June 2025"),
        ("nothing to see", "nothing to see"),
    ],
)
def test_relative_phrases_are_written_as_dates(text, written):
    assert dates.rewrite(text, said_at=MONDAY) == written


def test_a_found_phrase_keeps_its_place_and_words():
    (when,) = dates.find("we met last Friday", said_at=MONDAY)
    assert ("we met last Friday"[when.begin : when.end], when.precision) == ("last Friday", "day")


@pytest.mark.parametrize(
    ("said", "phrase", "day"),
    [
        (date(2026, 10, 21), "25 October", date(2026, 10, 25)),  # soon: not last year's
        (date(2026, 10, 7), "the 31st of October", date(2026, 10, 31)),
        (date(2026, 1, 7), "3 May", date(2025, 5, 3)),
        (date(2026, 10, 7), "12 March", date(2026, 3, 12)),
    ],
)
def test_a_date_without_a_year_is_the_last_one_unless_the_next_is_soon(said, phrase, day):
    moment = datetime.combine(said, time(12), UTC)
    assert [found.start for found in dates.find(f"Party on {phrase}.", said_at=moment)] == [day]


@pytest.mark.parametrize(
    ("said", "text", "day"),
    [
        (date(2026, 5, 4), "I start classes in September", date(2026, 9, 1)),
        (date(2026, 5, 4), "My exams are in March", date(2027, 3, 1)),
        (date(2026, 5, 4), "I moved in September", date(2025, 9, 1)),
        (date(2026, 5, 4), "We've got two exams in March", date(2027, 3, 1)),
        (date(2026, 5, 4), "I've got engaged in March", date(2026, 3, 1)),
        (date(2026, 5, 4), "In September, I moved", date(2025, 9, 1)),
        (date(2026, 5, 4), "I've been climbing since March", date(2026, 3, 1)),
        (date(2026, 5, 4), "I've lived here since September", date(2025, 9, 1)),
        (date(2026, 5, 4), "I'm vegan since September", date(2025, 9, 1)),
        (date(2026, 5, 4), "I'm vegan since 3 September", date(2025, 9, 3)),
        (date(2026, 5, 4), "I'm in the last year of school", None),
        (date(2026, 5, 4), "The launch is scheduled for 3 March", date(2027, 3, 3)),
        (date(2026, 5, 4), "I met Ines on 10 May", date(2025, 5, 10)),
        (date(2026, 5, 4), "We're off to Rome this August", date(2026, 8, 1)),
        (date(2026, 5, 4), "The concert is on the 30th", date(2026, 5, 30)),
        (date(2026, 5, 4), "The concert is on the 1st", date(2026, 6, 1)),
        (date(2026, 5, 4), "The concert was on the 30th", date(2026, 4, 30)),
        (date(2026, 5, 4), "The concert was on the 1st", date(2026, 5, 1)),
        (date(2026, 1, 31), "Rent is due by the 30th", date(2026, 3, 30)),
        (date(2026, 5, 4), "I'm moving next spring", date(2027, 3, 1)),
        (date(2026, 2, 4), "I'm moving next spring", date(2026, 3, 1)),
        (date(2026, 5, 4), "ich ziehe um und werde im September in Rom wohnen", date(2026, 9, 1)),
        (date(2026, 5, 4), "ich bin im März nach Rom gezogen", date(2026, 3, 1)),
        (date(2026, 5, 4), "j'ai déménagé en septembre", date(2025, 9, 1)),
        (date(2026, 5, 4), "We decided to meet on Friday", None),
        (date(2026, 5, 4), "We decided on Friday", date(2026, 5, 1)),
        (date(2026, 5, 4), "I was asked to speak on the 12th", date(2026, 5, 12)),
        (date(2026, 5, 4), "I got invited to a wedding in March", date(2027, 3, 1)),
        (date(2026, 5, 4), "The launch was moved to 3 April", date(2027, 4, 3)),
        (date(2026, 5, 4), "They postponed it until March", date(2027, 3, 1)),
        (date(2026, 5, 4), "I moved to Berlin in March", date(2026, 3, 1)),
        (date(2026, 5, 4), "She said it would open in March", date(2027, 3, 1)),
        (date(2026, 5, 4), "I would have come in March", date(2026, 3, 1)),
        (date(2026, 5, 4), "It was meant to open in March", date(2026, 3, 1)),
    ],
)
def test_the_tense_of_its_clause_says_which_way_a_date_lies(said, text, day):
    assert dates.resolve(text, said_at=datetime.combine(said, time(12), UTC)) == day


def test_each_clause_has_its_own_tense():
    found = dates.find("I moved in June, but my exams are in July", said_at=datetime(2026, 5, 4, tzinfo=UTC))
    assert [when.start for when in found] == [date(2025, 6, 1), date(2026, 7, 1)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("I always visit Rome in September", "I always visit Rome in September 2025"),
        ("We live on the 3rd floor", "We live on the 3rd floor"),
        ("a seat on the 30th", "a seat on the 30th"),
    ],
)
def test_where_no_tense_tells_it_leans_to_the_past_or_is_none(text, written):
    assert dates.rewrite(text, said_at=datetime(2026, 5, 4, tzinfo=UTC)) == written


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("j'ai mangé avec elle hier", date(2026, 5, 3)),
        ("Hier il a plu", date(2026, 5, 3)),
        ("Ich wohne seit Jahren hier", None),
        ("Hier ist es schön", None),
        ("wir treffen uns hier", None),
    ],
)
def test_a_german_here_is_no_french_yesterday(text, day):
    assert dates.resolve(text, said_at=datetime(2026, 5, 4, 12, tzinfo=UTC)) == day
