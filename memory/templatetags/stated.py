"""Ties that members told of themselves: facts about one that name another."""

from __future__ import annotations

import re

from django import template

from memory.models import Fact
from memoryhub.community.models import Member

register = template.Library()
MOST = 6
LOOKED_AT = 200  # facts that name somebody, newest first


@register.simple_tag
def stated_between(one: Member, other: Member) -> list[Fact]:
    """Return what either of them told about the other."""
    return [*_naming(one, other), *_naming(other, one)][:MOST]


@register.simple_tag
def stated_ties(member: Member) -> list[Fact]:
    """Return what others told of this member, and what the member told of others here."""
    name, others = str(member), Member.objects.of(member.guild).exclude(pk=member.pk).order_by("-last_seen_at")
    names = [str(other) for other in others[:LOOKED_AT]]
    facts = member.facts.active().select_related("subject", "audience").order_by("-said_at")
    own = [fact for fact in facts[:LOOKED_AT] if any(_names(fact, each) for each in names)]
    told = Fact.objects.of(member.guild).active().filter(text__icontains=name, subject__isnull=False)
    by_others = told.exclude(subject=member).select_related("subject", "audience").order_by("-said_at")[:LOOKED_AT]
    return [*own[:MOST], *(fact for fact in by_others if _names(fact, name))][:MOST]


def _naming(one: Member, other: Member) -> list[Fact]:
    name = str(other)
    facts = one.facts.active().filter(text__icontains=name).select_related("subject", "audience").order_by("-said_at")
    return [fact for fact in facts[:LOOKED_AT] if _names(fact, name)]


def _names(fact: Fact, name: str) -> bool:
    """Say whether the name stands in the fact as words of their own."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", fact.text, re.IGNORECASE))
