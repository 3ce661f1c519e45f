"""Publishes what bots write to their open answers, at most ten times a second for each answer."""

import asyncio

from tertulia import domain
from tertulia.domain.messages.answers import MAX_UPDATE_LENGTH, StreamedAnswer
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.events.ephemeral import AnswerUpdate
from tertulia.events.open_answers import OpenAnswer


def start(delivery: Delivery, org: Organization, answer_token: str, answer: StreamedAnswer) -> None:
    org.answers.touch(answer_token, answer, org.clock())
    delivery.ephemeral.publish(org.realm.id, AnswerUpdate("start", answer_token, answer))


def write(
    delivery: Delivery, org: Organization, opened: OpenAnswer, position: int, content: str
) -> None:
    """Add a piece. It is published at once, or with those that follow within the interval."""
    opened.write(position, content)
    if not opened.is_scheduled:
        _publish(delivery, org.realm.id, opened.id)


def stop(delivery: Delivery, org: Organization, opened: OpenAnswer) -> None:
    """Tell the bot and all who watch that the answer is not wanted any more."""
    opened.is_stopped = True
    answer = opened.answer
    delivery.ephemeral.publish(org.realm.id, AnswerUpdate("stop", opened.id, answer))
    if answer.channel_id is not None and not org.subscriptions.includes(
        answer.bot_id, answer.channel_id
    ):
        to_bot = AnswerUpdate("stop", opened.id, answer, only_bot=True)
        delivery.ephemeral.publish(org.realm.id, to_bot)


def end(
    delivery: Delivery,
    org: Organization,
    answer_token: str,
    answer: StreamedAnswer,
    message_id: int | None,
) -> None:
    """The answer is a message now, or is given up."""
    org.answers.end(answer_token, answer, org.clock())
    update = AnswerUpdate("end", answer_token, answer, message_id=message_id)
    delivery.ephemeral.publish(org.realm.id, update)


def _publish(delivery: Delivery, realm_id: int, answer_token: str) -> None:
    org = delivery.organizations.get(realm_id)
    opened = None if org is None else org.answers.find(answer_token)
    if org is None or opened is None:
        return
    opened.is_scheduled = False
    if opened.is_published or opened.is_stopped:
        return
    begin = opened.published_length
    content = opened.text[begin : begin + MAX_UPDATE_LENGTH]
    opened.published_length, opened.published_status = begin + len(content), opened.status
    update = AnswerUpdate(
        "update", answer_token, opened.answer, position=begin, content=content, status=opened.status
    )
    delivery.ephemeral.publish(realm_id, update)
    opened.is_scheduled = True
    channel_id = opened.answer.channel_id
    listeners = 0 if channel_id is None else len(org.subscriptions.active(channel_id))
    pause = domain.messages.answers.interval_seconds(listeners)
    asyncio.get_running_loop().call_later(pause, _publish, delivery, realm_id, answer_token)
