"""A model's revision is tidied, or refused with the rule that it breaks."""

from __future__ import annotations

import pytest

from profiles.review import RefusedRevisionError, accept
from profiles.shapes import Entry, Gone, Learned, NewNote, Revision, RevisionInput

STORED = [
    Entry(section="bio", text="Lives in Oslo", notes=[1], id=1),
    Entry(section="interests", text="Likes jazz", notes=[2], id=2),
    Entry(section="other", text="Queen of cheese", notes=[], id=3, pinned=True),
]
GIVEN = RevisionInput(
    member="Alice",
    entries=STORED,
    note=NewNote(id=9, title="t", summary="s"),
    facts=[Learned(text="Has a cat.", notes=[4])],
    refused=["Hates cilantro"],
)


def answer(*entries: Entry, gone: tuple[Gone, ...] = (), unsure: bool = False) -> Revision:
    return Revision(entries=[*STORED, *entries], gone=list(gone), unsure=unsure)


def reasons(given: Revision) -> list[str]:
    with pytest.raises(RefusedRevisionError) as refused:
        accept(GIVEN, given)
    return refused.value.reasons


def test_a_good_revision_is_accepted():
    accepted = accept(GIVEN, answer(Entry(section="relationships", text="Has a cat", notes=[4, 9, 9])))
    assert [(entry.id, entry.text, entry.notes) for entry in accepted.entries] == [
        (1, "Lives in Oslo", [1]),
        (2, "Likes jazz", [2]),
        (None, "Has a cat", [4, 9]),
        (3, "Queen of cheese", []),
    ]


def test_one_entry_too_many_in_a_section_is_cut():
    many = [Entry(section="opinions", text=f"Thinks that cheese number {at} wins", notes=[9]) for at in range(8)]
    assert len([entry for entry in accept(GIVEN, answer(*many)).entries if entry.section == "opinions"]) == 7


def test_the_same_thing_in_two_sections_is_merged():
    twice = Entry(section="other", text="Likes jazz.", notes=[9])
    assert [entry.notes for entry in accept(GIVEN, answer(twice)).entries if "jazz" in entry.text] == [[2, 9]]


def test_an_entry_that_is_left_out_for_a_reason_may_go():
    left = Revision(entries=[STORED[0], STORED[2]], gone=[Gone(id=2, why="no longer true")])
    assert [entry.id for entry in accept(GIVEN, left).entries] == [1, 3]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (answer(unsure=True), "unsure"),
        (answer(*[Entry(section="bio", text=f"Lives in {at}", notes=[9]) for at in range(9)]), "over the limits"),
        (answer(Entry(section="bio", text="very " * 40, notes=[9])), "over the limits"),
        (answer(Entry(section="bio", text="Is a queen", notes=[77])), "invented sources or ids"),
        (answer(Entry(section="bio", text="Is a queen", notes=[9], id=77)), "invented sources or ids"),
        (answer(Entry(section="bio", text="Is a queen")), "invented sources or ids"),
        (Revision(entries=STORED[1:]), "entries lost"),
        (answer(Entry(section="opinions", text="Hates cilantro!", notes=[9])), "refused entries came back"),
        (
            Revision(entries=[*STORED[:2], STORED[2].model_copy(update={"text": "Owns cheese"})]),
            "pinned entries changed",
        ),
    ],
)
def test_a_revision_that_breaks_a_rule_is_refused(broken, reason):
    assert reason in reasons(broken)


def test_half_a_profile_cannot_vanish_for_stated_reasons():
    stored = [Entry(section="bio", text=f"Fact number {at}", notes=[1], id=at) for at in range(6)]
    emptied = Revision(entries=stored[:2], gone=[Gone(id=at, why="merged") for at in range(2, 6)])
    with pytest.raises(RefusedRevisionError, match="entries lost"):
        accept(RevisionInput(member="Alice", entries=stored), emptied)


def test_a_refusal_names_rules_and_no_text():
    with pytest.raises(RefusedRevisionError) as refused:
        accept(GIVEN, answer(Entry(section="bio", text="Is a queen", notes=[77])))
    assert "queen" not in str(refused.value)
