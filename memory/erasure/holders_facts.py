"""Erases what was learned: facts with their evidence and history, profiles, relationships, choices."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, Q, QuerySet

from memory.erasure.holder import Holder, columns
from memory.erasure.mask import Masks
from memory.erasure.target import Target
from memory.facts.changes import ERASED
from memory.models import AgentItem, ClientData, Evidence, Fact, FactChange
from memory.records.agent_items import labelled
from memory.withdrawal import withdraw
from memoryhub import db
from memoryhub.community.consent import is_heard
from memoryhub.community.models import ConsentChoice, Member
from profiles.models import EntrySource, Profile, ProfileEntry, Relationship, RelationshipDay
from profiles.relationships import relationship_store
from profiles.revision import lost_sources


def readable(member: Member) -> Q:
    """Return the condition for what the member could have read: the rest came from channels where they never spoke."""
    spoken_in = list(member.messages.order_by().values_list("channel", flat=True).distinct())
    return Q(audience=None) | Q(audience__in=spoken_in)


def count_withheld(member: Member) -> int:
    """Return how many facts about the member rest on channels where they never spoke."""
    return Fact.objects.filter(subject=member).exclude(readable(member)).count()


class Facts(Holder):
    """What is believed, or was, with the words it rests on and its history; in the word index and as a vector."""

    name, file = "facts", "facts.json"
    models = ("memory.Fact", "memory.Evidence", "memory.FactChange", "memory.Contradiction")

    def rows(self, target: Target) -> QuerySet[Fact]:
        """Return the facts about them or naming them, whoever told them."""
        return target.facts()

    def erase(self, target: Target, now: datetime) -> None:
        """Erase these; facts about others lose what rests on the member's words, and the name in former wordings."""
        for facts in target.chunks(target.facts()):
            withdraw.erase_facts(facts)
        if target.member is None:
            return
        for evidence in target.chunks(Evidence.objects.filter(speaker=target.member)):
            withdraw.withdraw_evidence(Evidence.objects.filter(pk__in=[row.pk for row in evidence]), now=now)
        changes = FactChange.objects.filter(fact__guild=target.guild)
        for change in changes.filter(pk__in=target.naming(changes, "before")):
            change.before |= {"text": ERASED, "normalized": ERASED}
            change.save(update_fields=["before"])

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield each fact with its evidence and history; the words of others who said no are not among it."""
        facts = Fact.objects.filter(readable(member), subject=member).select_related("channel")
        facts = facts.prefetch_related("evidence__message", "evidence__speaker", "changes")
        for fact in facts.order_by("said_at", "pk").iterator(200):
            yield {
                "id": fact.pk,
                "text": masks.hide(fact.text),
                **columns(fact, "kind", "status", "confidence", "source_type", "said_at", "valid_from", "valid_until"),
                "channel": str(fact.channel) if fact.channel else None,
                "evidence": [
                    {
                        "message": row.message.platform_id if row.message else None,
                        "said_by": masks.name_of(row.speaker_id),
                        "said_at": row.said_at,
                        "quote": _quote(row, member, masks),
                    }
                    for row in fact.evidence.all()
                ],
                "history": [
                    columns(change, "action", "at", "undone")
                    | {"text_before": masks.hide(str(change.before.get("text", "")))}
                    for change in fact.changes.all()
                ],
            }


def _quote(row: Evidence, member: Member, masks: Masks) -> str:
    if row.speaker_id == member.pk:
        return row.quote
    return masks.hide(row.quote) if is_heard(member.guild, row.speaker) else ""


class FromClients(Holder):
    """What other programs handed over with words: metadata, categories, names of their own, a last day."""

    name, file = "client data", "client_data.json"
    models = ("memory.ClientData",)

    def rows(self, target: Target) -> QuerySet[ClientData]:
        """Return what came with the member's words or with facts about them, or names them."""
        rows = ClientData.objects.of(target.guild)
        theirs = Q(message__author=target.member) | Q(fact__subject=target.member)
        named = Q(pk__in=target.naming(rows, "metadata", "categories", "agent_id", "app_id"))
        here = Q(message__channel__in=target.channels) | Q(fact__channel__in=target.channels)
        return target.select(rows, member=theirs | named, channel=here)

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield what came with the member's words and with the facts about them that they could have read."""
        facts = Fact.objects.filter(readable(member), subject=member)
        rows = ClientData.objects.of(member.guild).filter(Q(message__author=member) | Q(fact__in=facts))
        for row in rows.order_by("pk").select_related("message").iterator(500):
            yield {
                "message": row.message.platform_id if row.message else None,
                "fact": row.fact_id,
                "at": row.at,
                **columns(row, "agent_id", "app_id", "metadata", "categories", "expires_on"),
            }


class FromAgents(Holder):
    """What agents kept for themselves under the member's id, or that names them."""

    name, file = "agents' items", "agents_items.json"
    models = ("memory.AgentItem",)

    def rows(self, target: Target) -> QuerySet[AgentItem]:
        """Return what lies under the id of the member or the channel, and what names the member."""
        rows = AgentItem.objects.of(target.guild)
        place = target.member or target.channel
        under = Q(pk__in=labelled(rows, place.platform_id)) if place else Q()
        named = Q(pk__in=target.naming(rows, "namespace", "key", "value", "text"))
        return target.select(rows, member=under | named, channel=under)

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield what lies under the member's id."""
        rows = AgentItem.objects.of(member.guild)
        for row in rows.filter(pk__in=labelled(rows, member.platform_id)).order_by("pk").iterator(500):
            yield columns(row, "namespace", "key", "value", "text", "created_at", "updated_at")


class Profiles(Holder):
    """What somebody is like, line by line, with the notes each line rests on."""

    name, file = "profiles", "profile.json"
    models = ("profiles.Profile", "profiles.ProfileEntry")

    def rows(self, target: Target) -> QuerySet[ProfileEntry]:
        """Return the member's entries, and those of others that name them."""
        rows = ProfileEntry.objects.filter(profile__member__guild=target.guild)
        member = Q(profile__member=target.member) | Q(pk__in=target.naming(rows, "text"))
        return target.select(rows, member=member, channel=Q(audience__in=target.channels))

    @transaction.atomic
    def erase(self, target: Target, now: datetime) -> None:
        """Delete the member's profile and these entries; summaries that stood on them are made anew."""
        db.lock_guild(target.guild.pk)
        if target.member:
            Profile.objects.filter(member=target.member).delete()
        rows = list(self.rows(target).values_list("pk", "profile"))
        ProfileEntry.objects.filter(pk__in=[pk for pk, _ in rows]).delete()
        named = target.naming(Profile.objects.filter(member__guild=target.guild), "summary")
        lost_sources.refresh_summaries({*(profile for _, profile in rows), *named})

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield each entry with its sources."""
        entries = ProfileEntry.objects.filter(readable(member), profile__member=member)
        sources = EntrySource.objects.told(member.guild, to=member).select_related("note", "message")
        for entry in entries.select_related("profile__member__guild").prefetch_related(Prefetch("sources", sources)):
            yield {
                "section": entry.section,
                "text": masks.hide(entry.text),
                **columns(entry, "status", "pinned", "written_by"),
                "sources": [
                    {"note" if source.note else "message": masks.hide(source.title), "day": source.day}
                    for source in entry.sources.all()
                ],
            }


class Relationships(Holder):
    """Who answered, named or met whom, by day and channel, and what an operator says of two members."""

    name, file = "relationships", "relationships.json"
    models = ("profiles.RelationshipDay", "profiles.Relationship")

    def rows(self, target: Target) -> QuerySet[RelationshipDay]:
        """Return the days on which somebody had to do with the member, or in the channel."""
        rows = RelationshipDay.objects.of(target.guild)
        member = Q(source=target.member) | Q(target=target.member)
        return target.select(rows, member=member, channel=Q(channel__in=target.channels))

    def count(self, target: Target) -> int:
        """Return the number of days and of levels that operators set."""
        levels = Relationship.objects.filter(first__guild=target.guild)
        member = Q(first=target.member) | Q(second=target.member)
        return super().count(target) + target.select(levels, member=member, channel=None).count()

    def erase(self, target: Target, now: datetime) -> None:
        """Delete both."""
        if target.member:
            relationship_store.drop(target.member)
        super().erase(target, now)

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield what the member did, day by day."""
        for row in RelationshipDay.objects.filter(source=member).select_related("channel").iterator(500):
            pair = {"with": masks.name_of(row.target_id), "day": row.day, "channel": str(row.channel)}
            yield pair | columns(row, *relationship_store.COUNTED)


class Choices(Holder):
    """What a member chose about being remembered and found, and when; a no outlives an erasure as a keyed hash."""

    name, file = "choices", "settings.json"
    models = ("community.ConsentChoice",)

    def rows(self, target: Target) -> QuerySet[ConsentChoice]:
        """Return the member's choices, or the guild's members'."""
        rows = ConsentChoice.objects.filter(member__guild=target.guild)
        return target.select(rows, member=Q(member=target.member), channel=None)

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield who they are and what they chose."""
        yield {
            "guild": str(member.guild),
            "account": member.platform_id,
            **columns(member, "name", "display_name", "remember", "findable", "first_seen_at", "last_seen_at"),
            "choices": [
                {"about": row.about, "remember": row.remember, "findable": row.findable, "at": row.chosen_at}
                for row in member.consent_choices.all()
            ],
        }
