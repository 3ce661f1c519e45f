"""Imports drafts, scheduled messages, snippets and navigation views."""

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.later.scheduled import Destination, ToChannel, ToPeople
from tertulia.domain.personal.drafts import DraftContent
from tertulia.domain.personal.navigation_views import NavigationView
from tertulia.errors import BadRequest
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.importing.message_importer import MessageImporter
from tertulia.transfer.importing.tally import DRAFTS, OF_OTHERS, SCHEDULED, SNIPPETS, TWICE, VIEWS
from tertulia.transfer.model import ArrivingWording, ProfileData


def add(tx: Tx, here: ImportState, belongings: ProfileData, messages: MessageImporter) -> None:
    """Call it after channels, users and files were imported."""
    for each in belongings.drafts:
        if each.person not in here.people:
            here.drop(DRAFTS, OF_OTHERS)
            continue
        channel_id, user_ids = here.channels.get(each.channel), here.people_of(each.people)
        topic = domain.names.cleaned(each.topic, domain.limits.TOPIC_LENGTH)
        content = messages.with_names(each.content)[: domain.limits.MESSAGE_LENGTH]
        wording = DraftContent(channel_id, user_ids, topic, content, each.at)
        storage.personal.drafts.insert(tx, here.people[each.person], wording)
        here.count(DRAFTS)
    for each in belongings.scheduled:
        _schedule(tx, here, each, messages)
    for snippet in belongings.snippets:
        if snippet.person not in here.people:
            here.drop(SNIPPETS, OF_OTHERS)
            continue
        title = domain.names.cleaned(snippet.title, domain.limits.SNIPPET_TITLE_LENGTH)
        content = messages.with_names(snippet.content)[: domain.limits.MESSAGE_LENGTH]
        owner = here.people[snippet.person]
        number = storage.personal.snippets.insert(tx, owner, title, content)
        storage.bulk_import.date_snippet(tx, number, snippet.created_at or tx.now)
        here.count(SNIPPETS)
    known: set[tuple[int, str]] = set()
    for view in belongings.views:
        user_id = here.people.get(view.person)
        if user_id is None or (user_id, view.fragment) in known:
            here.drop(VIEWS, OF_OTHERS if user_id is None else TWICE)
            continue
        known.add((user_id, view.fragment))
        arriving = NavigationView(view.fragment, view.name, view.is_pinned)
        try:
            domain.personal.navigation_views.checked(arriving)
        except BadRequest:
            here.drop(VIEWS, "that are not accepted here")
            continue
        storage.personal.navigation_views.insert(tx, user_id, arriving)
        here.count(VIEWS)


def _schedule(
    tx: Tx, here: ImportState, arriving: ArrivingWording, messages: MessageImporter
) -> None:
    owner, channel_id = here.people.get(arriving.person), here.channels.get(arriving.channel)
    people = here.people_of(arriving.people)
    to: Destination = ToPeople(tuple(people))
    if channel_id is not None:
        topic = domain.names.cleaned(arriving.topic, domain.limits.TOPIC_LENGTH)
        to = ToChannel(channel_id, topic)
    if owner is None or (channel_id is None and not people):
        here.drop(SCHEDULED, "of people or channels that were not imported")
    elif arriving.at <= tx.now:
        here.drop(SCHEDULED, "that are overdue")
    else:
        content = messages.with_names(arriving.content)[: domain.limits.MESSAGE_LENGTH]
        deliver_at = int(arriving.at)
        storage.later.scheduled.insert(tx, owner, to, messages.draft(content), None, deliver_at)
        here.count(SCHEDULED)
