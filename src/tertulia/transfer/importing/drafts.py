"""Imports drafts, scheduled messages, snippets and navigation views."""

from tertulia import domain, features
from tertulia.database.tx import Tx
from tertulia.errors import BadRequest
from tertulia.features.navigation_views import NavigationView
from tertulia.features.scheduled.entry import Destination, ToChannel, ToPeople
from tertulia.features.snippets import Snippet
from tertulia.transfer.importing.import_counts import (
    DRAFTS,
    DUPLICATES,
    OF_UNKNOWN_PEOPLE,
    SCHEDULED,
    SNIPPETS,
    VIEWS,
)
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.importing.message_importer import MessageImporter
from tertulia.transfer.model import ImportedDraft, ProfileData


def add(tx: Tx, state: ImportState, profiles: ProfileData, messages: MessageImporter) -> None:
    """Call it after channels, users and files were imported."""
    for each in profiles.drafts:
        if each.person not in state.people:
            state.drop(DRAFTS, OF_UNKNOWN_PEOPLE)
            continue
        channel_id, user_ids = state.channels.get(each.channel), state.people_of(each.people)
        topic = domain.names.cleaned(each.topic, domain.limits.MAX_TOPIC_LENGTH)
        content = messages.with_names(each.content)[: domain.limits.MAX_MESSAGE_LENGTH]
        owner = state.people[each.person]
        features.drafts.insert(tx, owner, channel_id, user_ids, topic, content, each.at)
        state.count(DRAFTS)
    for each in profiles.scheduled:
        _schedule(tx, state, each, messages)
    for snippet in profiles.snippets:
        if snippet.person not in state.people:
            state.drop(SNIPPETS, OF_UNKNOWN_PEOPLE)
            continue
        Snippet.insert(
            tx,
            user_id=state.people[snippet.person],
            title=domain.names.cleaned(snippet.title, features.snippets.MAX_TITLE_LENGTH),
            content=messages.with_names(snippet.content)[: domain.limits.MAX_MESSAGE_LENGTH],
            created_at=snippet.created_at or tx.now,
        )
        state.count(SNIPPETS)
    known: set[tuple[int, str]] = set()
    for view in profiles.views:
        user_id = state.people.get(view.person)
        if user_id is None or (user_id, view.fragment) in known:
            state.drop(VIEWS, OF_UNKNOWN_PEOPLE if user_id is None else DUPLICATES)
            continue
        known.add((user_id, view.fragment))
        imported = NavigationView(view.fragment, view.name, view.is_pinned)
        try:
            features.navigation_views.check(imported)
        except BadRequest:
            state.drop(VIEWS, "that are not accepted here")
            continue
        features.navigation_views.store(tx, user_id, imported)
        state.count(VIEWS)


def _schedule(
    tx: Tx, state: ImportState, imported: ImportedDraft, messages: MessageImporter
) -> None:
    owner, channel_id = state.people.get(imported.person), state.channels.get(imported.channel)
    people = state.people_of(imported.people)
    to: Destination = ToPeople(tuple(people))
    if channel_id is not None:
        topic = domain.names.cleaned(imported.topic, domain.limits.MAX_TOPIC_LENGTH)
        to = ToChannel(channel_id, topic)
    if owner is None or (channel_id is None and not people):
        state.drop(SCHEDULED, "of people or channels that were not imported")
    elif imported.at <= tx.now:
        state.drop(SCHEDULED, "that are overdue")
    else:
        content = messages.with_names(imported.content)[: domain.limits.MAX_MESSAGE_LENGTH]
        deliver_at = int(imported.at)
        features.scheduled.entry.insert(tx, owner, to, messages.draft(content), None, deliver_at)
        state.count(SCHEDULED)
