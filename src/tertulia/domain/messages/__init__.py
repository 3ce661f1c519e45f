"""Messages: their content, links, narrows and notices."""

from tertulia.domain.messages import (
    answers,
    deleted,
    diffs,
    external_pictures,
    known_mentions,
    link_previews,
    links,
    message,
    moves,
    narrow,
    notices,
    notification_text,
    plain_text,
    quotations,
    widget_state,
    widgets,
)
