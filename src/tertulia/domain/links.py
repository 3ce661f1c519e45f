"""Addresses of places in the browser client, which every client understands."""

from collections.abc import Sequence

from tertulia.domain.channels import encode_for_link, slug


def topic_link(channel_id: int, name: str, topic: str) -> str:
    return f"#narrow/channel/{slug(channel_id, name)}/topic/{encode_for_link(topic)}"


def conversation_link(member_ids: Sequence[int]) -> str:
    ids = ",".join(str(user_id) for user_id in member_ids)
    return f"#narrow/dm/{ids}{'-group' if len(member_ids) > 2 else ''}"
