-- A person's own things: status, drafts, snippets, mutes, alert words, presence.

CREATE TABLE user_status (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    status_text TEXT NOT NULL DEFAULT '',
    emoji_name TEXT NOT NULL DEFAULT '',
    emoji_code TEXT NOT NULL DEFAULT '',
    reaction_type TEXT NOT NULL DEFAULT ''
);
CREATE INDEX user_status_by_realm ON user_status (realm_id);

-- `user_ids` holds the recipients of a direct draft as JSON.
CREATE TABLE draft (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    user_ids TEXT NOT NULL,
    topic TEXT NOT NULL,
    content TEXT NOT NULL,
    edited_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX draft_by_user ON draft (user_id, edited_at);

CREATE TABLE saved_snippet (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX saved_snippet_by_user ON saved_snippet (user_id, id);

CREATE TABLE muted_user (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    muted_id BIGINT NOT NULL REFERENCES account (id),
    muted_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, muted_id)
);
CREATE INDEX muted_user_by_muted ON muted_user (muted_id, user_id);

-- `first_token` is what a text must contain for the word to be looked for in it at all.
CREATE TABLE alert_word (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    word TEXT NOT NULL,
    word_key TEXT NOT NULL,
    first_token TEXT NOT NULL,
    UNIQUE (user_id, word_key)
);
CREATE INDEX alert_word_by_token ON alert_word (realm_id, first_token);

-- Written in batches, a moment after the fact. `update_id` counts the changes of an organization.
CREATE TABLE presence (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    active_at DOUBLE PRECISION,
    idle_at DOUBLE PRECISION NOT NULL,
    update_id BIGINT NOT NULL
);
CREATE INDEX presence_by_update ON presence (realm_id, update_id);
