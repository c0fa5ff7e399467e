"""Addresses of the pages of what is known."""

from __future__ import annotations

from datetime import date

from django.urls import path, register_converter

from memory.views import (
    channel_switch,
    corrections,
    entries,
    facts,
    filters,
    jobs,
    logs,
    members,
    messages,
    review,
    rights,
    settings,
    snapshots,
    webhooks,
)
from memory.views.community import ask, catchup, recaps, who_knows
from memory.views.studio import context_studio


class DayConverter:
    """A day in an address: 2026-02-23."""

    regex = r"\d{4}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        """Read the day; ValueError makes the address unknown."""
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        """Write the day."""
        return value.isoformat()


register_converter(DayConverter, "day")

urlpatterns = [
    path("ask/", ask.ask_page, name="ask"),
    path("catchup/", catchup.catchup, name="catchup"),
    path("who/", who_knows.find, name="who-knows"),
    path("recaps/", recaps.recaps, name="recaps"),
    path("recaps/write/", recaps.write_recap, name="write-recap"),
    path("recaps/<int:pk>/", recaps.recap, name="recap"),
    path("memories/", facts.memories, name="memories"),
    path("memories/saved/", filters.save_filter, name="save-filter"),
    path("memories/saved/<int:pk>/remove/", filters.drop_filter, name="drop-filter"),
    path("memories/<int:pk>/", facts.fact, name="fact"),
    path("memories/bulk/", corrections.change_facts, name="change-facts"),
    path("memories/undo/", corrections.undo_facts, name="undo-facts"),
    path("memories/<int:pk>/delete/", corrections.delete_fact, name="delete-fact"),
    path("memories/<int:pk>/change/", corrections.change_fact, name="change-fact"),
    path("memories/<int:pk>/pin/", corrections.pin_fact, name="pin-fact"),
    path("memories/<int:pk>/settle/", corrections.settle_fact, name="settle-fact"),
    path("memories/<int:pk>/correct/", corrections.correct_fact, name="correct-fact"),
    path("messages/<int:pk>/", messages.message, name="message"),
    path("review/", review.queue, name="review"),
    path("review/<int:pk>/", review.reword, name="reword-fact"),
    path("studio/", context_studio.studio, name="studio"),
    path("studio/ask/", context_studio.ask_memory, name="ask-memory"),
    path("members/<int:pk>/", members.member, name="member"),
    path("channels/<int:pk>/memory/", channel_switch.switch_channel, name="switch-channel"),
    path("settings/", settings.settings, name="guild-settings"),
    path("settings/undo/", settings.undo_settings, name="undo-settings"),
    path("webhooks/", webhooks.webhooks, name="webhooks"),
    path("webhooks/<int:pk>/remove/", webhooks.remove_webhook, name="remove-webhook"),
    path("webhooks/<int:pk>/replay/", webhooks.replay_webhook, name="replay-webhook"),
    path("jobs/", jobs.work, name="work"),
    path("jobs/replay/", jobs.replay, name="replay"),
    path("jobs/night/", jobs.run_night, name="run-night"),
    path("model-calls/", logs.model_calls, name="model-calls"),
    path("actions/", logs.actions, name="actions"),
    path("members/<int:pk>/export/", rights.export_member, name="export-member"),
    path("members/<int:pk>/export-link/", rights.link_export, name="link-export"),
    path("members/<int:pk>/erase/", rights.erase_member, name="erase-member"),
    path("members/erased/", rights.erased, name="erased"),
    path("members/<int:pk>/disown/", members.disown, name="disown-member"),
    path("members/<int:pk>/consent/", members.choose, name="choose-consent"),
    path("members/<int:pk>/findable/", members.let_be_found, name="choose-findable"),
    path("members/<int:pk>/lines/", entries.add_entry, name="add-entry"),
    path("lines/<int:pk>/", entries.entry, name="entry"),
    path("exports/<str:token>/", rights.export_by_link, name="export"),
    path("receipts/", rights.receipts, name="receipts"),
    path("snapshot/", snapshots.snapshot, name="snapshot"),
    path("snapshot/refresh/", snapshots.refresh_snapshot, name="refresh-snapshot"),
    path("snapshot/download/", snapshots.download_snapshot, name="download-snapshot"),
    path("journals/<int:guild>/<day:day>/", snapshots.journal, name="journal"),
    path("journals/<int:guild>/<day:day>/download/", snapshots.download_journal, name="download-journal"),
]
