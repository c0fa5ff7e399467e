"""Places the points of a graph so that those that are tied stand close, and finds its communities."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Point = TypeVar("Point", bound=Hashable)
Places = NDArray[np.float64]

WIDTH, HEIGHT, MARGIN = 720, 520, 48
SAME, OTHER = 1.6, 0.6  # how a tie within a community pulls, and one between two
STEPS = 250
CROWD = 20  # points, from which on a picture is drawn out and everything in it is smaller
NEAR, PUSHES = 90, 60  # how far apart names stand side by side, and how often they are pushed
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))  # spreads the first places without chance: a graph looks the same twice


def place(ties: Mapping[tuple[Point, Point], float]) -> dict[Point, tuple[float, float]]:
    """Return where each point stands, within the margins: ties pull by their strength, 0 to 1, all else pushes."""
    names = list(dict.fromkeys(point for pair in ties for point in pair))
    if len(names) < 2:
        return dict.fromkeys(names, (WIDTH / 2, HEIGHT / 2))
    at = {name: number for number, name in enumerate(names)}
    pull = np.zeros((len(names), len(names)))
    group = communities(ties)
    for (one, other), strength in ties.items():
        near = SAME if group[one] == group[other] else OTHER
        pull[at[one], at[other]] = pull[at[other], at[one]] = (0.25 + strength) * near
    spots = _settle(pull)
    low, high = spots.min(axis=0), spots.max(axis=0)
    room = np.array([WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN])
    fitted = _apart(MARGIN + _even((spots - low) / np.maximum(high - low, 1e-9)) * room)
    return {name: (round(float(x), 1), round(float(y), 1)) for name, (x, y) in zip(names, fitted, strict=True)}


def _even(spots: Places) -> Places:
    """Draw a crowd out: half of a place, from 0 to 1, is its rank among all, so that one far point crowds nobody."""
    count = len(spots)
    if count <= CROWD:
        return spots
    ranks = spots.argsort(axis=0, kind="stable").argsort(axis=0) / (count - 1)
    return (spots + ranks) / 2


def _apart(spots: Places) -> Places:
    """Push apart those that stand in each other's way, as far as the margins let them."""
    near = np.array([NEAR, NEAR * 0.7]) * min(1.0, (CROWD / len(spots)) ** 0.5)
    low, high = np.array([MARGIN, MARGIN]), np.array([WIDTH - MARGIN, HEIGHT - MARGIN])
    for _ in range(PUSHES):
        apart = (spots[:, None] - spots[None, :]) / near
        far = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 0.01)
        push = np.where(far < 1, (1 - far) / far, 0.0)
        np.fill_diagonal(push, 0.0)
        spots = np.clip(spots + 0.25 * near * (apart * push[..., None]).sum(axis=1), low, high)
    return spots


def _settle(pull: Places) -> Places:
    """Move the points by springs and repulsion (Fruchterman and Reingold), less and less, until they rest."""
    count = len(pull)
    turn, out = np.arange(count) * GOLDEN_ANGLE, np.sqrt(np.arange(count) + 0.5) / math.sqrt(count)
    spots = np.stack([np.cos(turn) * out, np.sin(turn) * out], axis=1)
    ideal = 1.2 / math.sqrt(count)
    for step in range(STEPS):
        apart = spots[:, None] - spots[None, :]
        far = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 0.01)
        force = ideal**2 / far**2 - pull * far / ideal
        np.fill_diagonal(force, 0.0)
        moves = (apart * force[..., None]).sum(axis=1) - 0.3 * spots  # and a little towards the middle
        length = np.maximum(np.hypot(moves[:, 0], moves[:, 1]), 1e-9)
        heat = 0.1 * (1 - step / STEPS)
        spots += moves * (np.minimum(length, heat) / length)[:, None]
    return spots


def communities(ties: Mapping[tuple[Point, Point], float]) -> dict[Point, int]:
    """Return the number of each point's community, from 0, the largest first: who are tied more than chance has it.

    Two communities are joined as long as that raises the modularity (Clauset, Newman and Moore); points that no tie of
    any strength joins stay alone.
    """
    names = list(dict.fromkeys(point for pair in ties for point in pair))
    at = {name: number for number, name in enumerate(names)}
    share = np.zeros((len(names), len(names)))
    for (one, other), strength in ties.items():
        share[at[one], at[other]] = share[at[other], at[one]] = strength
    if not (total := share.sum()):
        return {name: number for number, name in enumerate(names)}
    share /= total
    groups = [[name] for name in names]
    while len(groups) > 1:
        ends = share.sum(axis=0)
        gain = np.where(share > 0, share - np.outer(ends, ends), 0.0)
        np.fill_diagonal(gain, 0.0)
        kept, gone = sorted(int(place) for place in np.unravel_index(gain.argmax(), gain.shape))
        if gain[kept, gone] <= 1e-12:
            break
        share[kept] += share[gone]
        share[:, kept] += share[:, gone]
        share = np.delete(np.delete(share, gone, axis=0), gone, axis=1)
        groups[kept] += groups.pop(gone)
    ordered = sorted(groups, key=lambda group: -len(group))
    return {name: number for number, group in enumerate(ordered) for name in group}
