"""Finds the names that a text may refer to, so that the caller can look them up before rendering.

It may return too many: names in code blocks are included, which does no harm.
"""

import re

from tertulia.markdown.channel_links import REFERENCE
from tertulia.markdown.mentions import GROUP, USER, name_and_id
from tertulia.markdown.model import References

_UPLOAD = re.compile(r"/user_uploads/(?!thumbnail/)([^\s()\[\]<>\"'#]+)")


def scan(source: str) -> References:
    if "*" not in source and "/user_uploads/" not in source:
        return References()

    user_names, user_ids = set(), set()
    for _, name in USER.findall(source):
        user_names.add(name.lower())
        if with_id := name_and_id(name):
            user_ids.add(with_id[1])

    channel_names, topics = set(), set()
    for reference in REFERENCE.findall(source):
        channel_names.add(reference)
        channel, arrow, topic = reference.partition(">")
        if arrow:
            channel_names.add(channel)
            topics.add((channel, topic))

    return References(
        user_names=frozenset(user_names),
        user_ids=frozenset(user_ids),
        group_names=frozenset(name for _, name in GROUP.findall(source)),
        channel_names=frozenset(channel_names),
        topics=frozenset(topics),
        upload_path_ids=frozenset(_UPLOAD.findall(source)),
    )
