-- The house: organizations, people, channels, messages, and the log that tells of them.
-- Times are UNIX seconds. `*_key` columns hold what names are compared by (case folded).
-- `permissions`, `settings`, `options` and `payload` hold JSON.

CREATE TABLE schema_version (version INTEGER NOT NULL);

CREATE TABLE realm (
    id {serial},
    subdomain TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    uuid TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    deactivated BOOLEAN NOT NULL DEFAULT FALSE,
    settings TEXT NOT NULL DEFAULT '{}'
);

CREATE TABLE account (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    full_name TEXT NOT NULL,
    role INTEGER NOT NULL,
    is_active BOOLEAN NOT NULL DEFAULT TRUE,
    is_system_bot BOOLEAN NOT NULL DEFAULT FALSE,
    bot_type INTEGER,
    bot_owner_id BIGINT REFERENCES account (id),
    joined_at DOUBLE PRECISION NOT NULL,
    timezone TEXT NOT NULL DEFAULT '',
    avatar_source TEXT NOT NULL DEFAULT 'J',
    avatar_version INTEGER NOT NULL DEFAULT 1,
    password_hash TEXT,
    key_hash {blob},
    key_sealed {blob},
    settings TEXT NOT NULL DEFAULT '{}',
    UNIQUE (realm_id, email_key)
);
CREATE UNIQUE INDEX account_by_key ON account (key_hash);

CREATE TABLE user_group (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    is_system BOOLEAN NOT NULL DEFAULT FALSE,
    creator_id BIGINT REFERENCES account (id),
    created_at DOUBLE PRECISION,
    deactivated BOOLEAN NOT NULL DEFAULT FALSE,
    permissions TEXT NOT NULL,
    UNIQUE (realm_id, name)
);

CREATE TABLE user_group_member (
    realm_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL REFERENCES user_group (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    PRIMARY KEY (group_id, user_id)
);
CREATE INDEX user_group_member_by_user ON user_group_member (user_id);

CREATE TABLE user_group_subgroup (
    realm_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL REFERENCES user_group (id),
    subgroup_id BIGINT NOT NULL REFERENCES user_group (id),
    PRIMARY KEY (group_id, subgroup_id)
);
CREATE INDEX user_group_subgroup_by_subgroup ON user_group_subgroup (subgroup_id);

CREATE TABLE channel (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    rendered_description TEXT NOT NULL DEFAULT '',
    created_at DOUBLE PRECISION NOT NULL,
    creator_id BIGINT REFERENCES account (id),
    invite_only BOOLEAN NOT NULL DEFAULT FALSE,
    is_web_public BOOLEAN NOT NULL DEFAULT FALSE,
    history_public BOOLEAN NOT NULL DEFAULT TRUE,
    archived BOOLEAN NOT NULL DEFAULT FALSE,
    is_default BOOLEAN NOT NULL DEFAULT FALSE,
    folder_id BIGINT,
    first_message_id BIGINT,
    last_message_at DOUBLE PRECISION,
    retention_days INTEGER,
    topics_policy TEXT NOT NULL DEFAULT 'inherit',
    default_push BOOLEAN NOT NULL DEFAULT FALSE,
    permissions TEXT NOT NULL,
    UNIQUE (realm_id, name_key)
);

-- A row stays when its user leaves, so that the settings are there on return.
CREATE TABLE subscription (
    realm_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    active BOOLEAN NOT NULL,
    color TEXT NOT NULL,
    is_muted BOOLEAN NOT NULL DEFAULT FALSE,
    pin_to_top BOOLEAN NOT NULL DEFAULT FALSE,
    desktop_notifications BOOLEAN,
    audible_notifications BOOLEAN,
    push_notifications BOOLEAN,
    email_notifications BOOLEAN,
    wildcard_mentions_notify BOOLEAN,
    PRIMARY KEY (user_id, channel_id)
);
CREATE INDEX subscription_by_channel ON subscription (channel_id, user_id);

-- When somebody was subscribed: from which event and message on, and up to which.
-- Who received a message, and who was to hear of an event, follows from this.
CREATE TABLE subscription_span (
    id {serial},
    realm_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    start_seq BIGINT NOT NULL,
    start_message_id BIGINT NOT NULL,
    end_seq BIGINT,
    end_message_id BIGINT
);
CREATE INDEX subscription_span_by_user ON subscription_span (user_id, channel_id);

CREATE TABLE conversation (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    member_ids TEXT NOT NULL,
    UNIQUE (realm_id, member_ids)
);

CREATE TABLE conversation_member (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    conversation_id BIGINT NOT NULL REFERENCES conversation (id),
    PRIMARY KEY (user_id, conversation_id)
);

CREATE TABLE message (
    id {numbered},
    realm_id BIGINT NOT NULL,
    sender_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    conversation_id BIGINT REFERENCES conversation (id),
    topic TEXT NOT NULL DEFAULT '',
    topic_key TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    render_version INTEGER NOT NULL,
    client TEXT NOT NULL,
    sent_at DOUBLE PRECISION NOT NULL,
    read_by_sender BOOLEAN NOT NULL,
    is_me BOOLEAN NOT NULL DEFAULT FALSE,
    channel_wildcard BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX message_by_realm ON message (realm_id, id);
CREATE INDEX message_by_topic ON message (channel_id, topic_key, id);
CREATE INDEX message_by_channel ON message (channel_id, id);
CREATE INDEX message_by_conversation ON message (conversation_id, id);
CREATE INDEX message_by_sender ON message (sender_id, id);

-- The few marks that few messages carry. Unread is not among them: see `unread`.
CREATE TABLE message_flag (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    flag TEXT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    PRIMARY KEY (user_id, flag, message_id)
);
CREATE INDEX message_flag_by_message ON message_flag (message_id);

-- Each user's unread messages as a compressed bitmap, brought up to date when somebody looks.
CREATE TABLE unread (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    bitmap {blob} NOT NULL,
    caught_up_to BIGINT NOT NULL
);

CREATE TABLE user_topic (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    topic_key TEXT NOT NULL,
    topic TEXT NOT NULL,
    policy INTEGER NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, channel_id, topic_key)
);

-- A repeated send finds the first one's answer here.
CREATE TABLE send_key (
    realm_id BIGINT NOT NULL,
    sender_id BIGINT NOT NULL REFERENCES account (id),
    key TEXT NOT NULL,
    fingerprint {blob} NOT NULL,
    message_id BIGINT NOT NULL,
    policy INTEGER,
    sent_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (sender_id, key)
);
CREATE INDEX send_key_by_age ON send_key (sent_at);

-- The log. `log_head` holds the last number given, so that none is given twice.
CREATE TABLE log_head (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    seq BIGINT NOT NULL
);

CREATE TABLE event (
    realm_id BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    audience TEXT NOT NULL,
    payload TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (realm_id, seq)
);

CREATE TABLE queue (
    id TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    options TEXT NOT NULL,
    start_seq BIGINT NOT NULL,
    acked BIGINT NOT NULL,
    idle_seconds INTEGER NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX queue_by_user ON queue (user_id);
