"""Places of a graph's points: the same each time, inside the margins, those that are tied closer."""

from math import dist

from profiles.views import graph_layout

FRIENDS = {("Alice", "Bob"): 0.9, ("Bob", "Charlie"): 0.8, ("Mallory", "Olga"): 0.9, ("Alice", "Mallory"): 0.05}


def test_every_point_has_its_place_within_the_margins():
    places = graph_layout.place(FRIENDS)
    assert set(places) == {"Alice", "Bob", "Charlie", "Mallory", "Olga"}
    for x, y in places.values():
        assert graph_layout.MARGIN <= x <= graph_layout.WIDTH - graph_layout.MARGIN
        assert graph_layout.MARGIN <= y <= graph_layout.HEIGHT - graph_layout.MARGIN


def test_a_graph_looks_the_same_each_time():
    assert graph_layout.place(FRIENDS) == graph_layout.place(dict(FRIENDS))


def test_those_who_are_tied_stand_closer():
    places = graph_layout.place(FRIENDS)
    assert dist(places["Alice"], places["Bob"]) < dist(places["Charlie"], places["Olga"])
    assert dist(places["Mallory"], places["Olga"]) < dist(places["Charlie"], places["Olga"])


def test_no_two_stand_in_one_spot():
    ties = {(f"a{n}", f"b{n % 7}"): 0.5 for n in range(60)}
    spots = list(graph_layout.place(ties).values())
    assert len(set(spots)) == len(spots)


def test_a_crowd_does_not_stand_in_its_own_way():
    ties = {(f"a{n}", f"b{n % 7}"): 0.5 for n in range(60)} | {("a1", "far"): 0.01}
    spots = list(graph_layout.place(ties).values())
    nearest = [min(dist(one, other) for other in spots if other != one) for one in spots]
    assert min(nearest) > 14
    assert all(0 < x < graph_layout.WIDTH and 0 < y < graph_layout.HEIGHT for x, y in spots)


def test_a_graph_of_nobody_and_of_two():
    assert graph_layout.place({}) == {}
    assert len(set(graph_layout.place({("Alice", "Bob"): 0.5}).values())) == 2


def test_who_are_tied_most_are_one_community():
    groups = graph_layout.communities(FRIENDS)
    assert groups["Alice"] == groups["Bob"] == groups["Charlie"] == 0
    assert groups["Mallory"] == groups["Olga"] == 1


def test_those_whom_nothing_ties_are_communities_of_their_own():
    assert graph_layout.communities({}) == {}
    assert graph_layout.communities({("Alice", "Bob"): 0.0}) == {"Alice": 0, "Bob": 1}
    apart = graph_layout.communities({("Alice", "Bob"): 0.5, ("Charlie", "Olga"): 0.0})
    assert apart["Alice"] == apart["Bob"]
    assert len({apart["Alice"], apart["Charlie"], apart["Olga"]}) == 3
