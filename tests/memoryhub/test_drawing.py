"""Places of a graph's points: the same each time, inside the margins, those that are tied closer."""

from math import dist

from memoryhub import drawing

FRIENDS = {("Alice", "Bob"): 0.9, ("Bob", "Charlie"): 0.8, ("Mallory", "Olga"): 0.9, ("Alice", "Mallory"): 0.05}


def test_every_point_has_its_place_within_the_margins():
    places = drawing.place(FRIENDS)
    assert set(places) == {"Alice", "Bob", "Charlie", "Mallory", "Olga"}
    for x, y in places.values():
        assert drawing.MARGIN <= x <= drawing.WIDTH - drawing.MARGIN
        assert drawing.MARGIN <= y <= drawing.HEIGHT - drawing.MARGIN


def test_a_graph_looks_the_same_each_time():
    assert drawing.place(FRIENDS) == drawing.place(dict(FRIENDS))


def test_those_who_are_tied_stand_closer():
    places = drawing.place(FRIENDS)
    assert dist(places["Alice"], places["Bob"]) < dist(places["Charlie"], places["Olga"])
    assert dist(places["Mallory"], places["Olga"]) < dist(places["Charlie"], places["Olga"])


def test_no_two_stand_in_one_spot():
    ties = {(f"a{n}", f"b{n % 7}"): 0.5 for n in range(60)}
    spots = list(drawing.place(ties).values())
    assert len(set(spots)) == len(spots)


def test_a_graph_of_nobody_and_of_two():
    assert drawing.place({}) == {}
    assert len(set(drawing.place({("Alice", "Bob"): 0.5}).values())) == 2
