-- Reading and changing what was said: moves, edits, reactions, custom emoji.

-- Who received a message follows from the channel it was sent to, wherever it stands now.
-- `arrived_seq` is the event that moved it to its present channel; empty if it never moved there.
ALTER TABLE message ADD COLUMN origin_channel_id BIGINT;
ALTER TABLE message ADD COLUMN arrived_seq BIGINT;
ALTER TABLE message ADD COLUMN edited_at DOUBLE PRECISION;
ALTER TABLE message ADD COLUMN moved_at DOUBLE PRECISION;
-- Says that a topic was resolved or reopened: read at once by most people (see `unread_notice`).
ALTER TABLE message ADD COLUMN resolve_notice BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE message SET origin_channel_id = channel_id;

CREATE INDEX subscription_span_by_channel ON subscription_span (channel_id, end_message_id);

-- What a message was before each change. What it became stands in the next row, or in `message`.
CREATE TABLE message_edit (
    id {serial},
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    edited_at DOUBLE PRECISION NOT NULL,
    prev_content TEXT,
    prev_rendered TEXT,
    prev_topic TEXT,
    topic TEXT,
    prev_channel_id BIGINT,
    channel_id BIGINT
);
CREATE INDEX message_edit_by_message ON message_edit (message_id, id);

CREATE TABLE reaction (
    id {serial},
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    emoji_name TEXT NOT NULL,
    emoji_code TEXT NOT NULL,
    reaction_type TEXT NOT NULL,
    UNIQUE (message_id, user_id, reaction_type, emoji_code)
);

-- Custom emoji. The pictures are small and live here, so that every server can show them.
CREATE TABLE emoji (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    author_id BIGINT NOT NULL REFERENCES account (id),
    deactivated BOOLEAN NOT NULL DEFAULT FALSE,
    file_name TEXT NOT NULL UNIQUE,
    picture {blob} NOT NULL,
    still_name TEXT UNIQUE,
    still {blob}
);
CREATE UNIQUE INDEX emoji_by_name ON emoji (realm_id, name) WHERE NOT deactivated;
