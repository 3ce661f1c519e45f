-- Deleted messages that are kept until `purge_after`, so that they can be restored. Each table has the
-- columns of the table that its name ends with; `storage/messages/deleted.py` moves rows to and fro. No
-- reader of messages reads these tables.
CREATE TABLE kept_message (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    sender_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    conversation_id BIGINT REFERENCES conversation (id),
    topic TEXT NOT NULL,
    topic_key TEXT NOT NULL,
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    render_version INTEGER NOT NULL,
    client TEXT NOT NULL,
    sent_at DOUBLE PRECISION NOT NULL,
    read_by_sender BOOLEAN NOT NULL,
    is_me BOOLEAN NOT NULL,
    channel_wildcard BOOLEAN NOT NULL,
    has_link BOOLEAN NOT NULL,
    has_image BOOLEAN NOT NULL,
    has_attachment BOOLEAN NOT NULL,
    origin_channel_id BIGINT,
    arrived_seq BIGINT,
    edited_at DOUBLE PRECISION,
    moved_at DOUBLE PRECISION,
    resolve_notice BOOLEAN NOT NULL,
    closed_seq BIGINT,
    reason TEXT NOT NULL,
    deleted_at DOUBLE PRECISION NOT NULL,
    deleted_by BIGINT REFERENCES account (id),
    purge_after DOUBLE PRECISION NOT NULL
);
CREATE INDEX kept_message_by_purge ON kept_message (purge_after);
CREATE INDEX kept_message_by_realm ON kept_message (realm_id, id);
CREATE INDEX kept_message_by_channel ON kept_message (channel_id, topic_key, id);
CREATE INDEX kept_message_by_conversation ON kept_message (conversation_id, id);
CREATE INDEX kept_message_by_sender ON kept_message (sender_id, id);
CREATE INDEX kept_message_by_deleter ON kept_message (deleted_by);

CREATE TABLE kept_message_flag (
    user_id BIGINT NOT NULL REFERENCES account (id),
    flag TEXT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    PRIMARY KEY (user_id, flag, message_id)
);
CREATE INDEX kept_message_flag_by_message ON kept_message_flag (message_id);
CREATE INDEX kept_message_flag_by_realm ON kept_message_flag (realm_id);

CREATE TABLE kept_reaction (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    emoji_name TEXT NOT NULL,
    emoji_code TEXT NOT NULL,
    reaction_type TEXT NOT NULL
);
CREATE INDEX kept_reaction_by_message ON kept_reaction (message_id);
CREATE INDEX kept_reaction_by_user ON kept_reaction (user_id);
CREATE INDEX kept_reaction_by_realm ON kept_reaction (realm_id);

CREATE TABLE kept_message_edit (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    edited_at DOUBLE PRECISION NOT NULL,
    prev_content TEXT,
    prev_rendered TEXT,
    prev_topic TEXT,
    topic TEXT,
    prev_channel_id BIGINT,
    channel_id BIGINT
);
CREATE INDEX kept_message_edit_by_message ON kept_message_edit (message_id, id);
CREATE INDEX kept_message_edit_by_user ON kept_message_edit (user_id);
CREATE INDEX kept_message_edit_by_realm ON kept_message_edit (realm_id);

CREATE TABLE kept_submessage (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    sender_id BIGINT NOT NULL REFERENCES account (id),
    msg_type TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX kept_submessage_by_message ON kept_submessage (message_id, id);
CREATE INDEX kept_submessage_by_sender ON kept_submessage (sender_id);
CREATE INDEX kept_submessage_by_realm ON kept_submessage (realm_id);

CREATE TABLE kept_removed_link_preview (
    message_id BIGINT PRIMARY KEY REFERENCES kept_message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id)
);
CREATE INDEX kept_removed_link_preview_by_realm ON kept_removed_link_preview (realm_id);

-- The files that kept messages link. Those that other messages link too are still in `attachment`.
CREATE TABLE kept_attachment_message (
    attachment_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES kept_message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    PRIMARY KEY (attachment_id, message_id)
);
CREATE INDEX kept_attachment_message_by_message ON kept_attachment_message (message_id);
CREATE INDEX kept_attachment_message_by_realm ON kept_attachment_message (realm_id);

CREATE TABLE kept_attachment (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    owner_id BIGINT NOT NULL REFERENCES account (id),
    upload_id BIGINT NOT NULL REFERENCES upload (id),
    path_id TEXT NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    is_animated BOOLEAN NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX kept_attachment_by_owner ON kept_attachment (owner_id);
CREATE INDEX kept_attachment_by_upload ON kept_attachment (upload_id);
CREATE INDEX kept_attachment_by_realm ON kept_attachment (realm_id);
