-- What users call by `/name`. The owner is a bot, or an agent of a user. `channel_ids` are where it is
-- offered, null for all channels; `may_use` is a group or a list of people and groups.
CREATE TABLE command (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    bot_id BIGINT NOT NULL REFERENCES account (id),
    grant_id BIGINT REFERENCES agent_grant (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    parameters TEXT NOT NULL,
    channel_ids TEXT,
    in_direct BOOLEAN NOT NULL,
    may_use TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (realm_id, name)
);
CREATE INDEX command_by_bot ON command (bot_id);
CREATE INDEX command_by_grant ON command (grant_id);

-- Calls of commands, presses of buttons and submitted forms, and what the bot answered. `given` are
-- the values; `form` and `reply` are parts of the answer. They are deleted after a day.
CREATE TABLE interaction (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    kind TEXT NOT NULL,
    bot_id BIGINT NOT NULL REFERENCES account (id),
    grant_id BIGINT REFERENCES agent_grant (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    user_key TEXT,
    command_name TEXT NOT NULL DEFAULT '',
    message_id BIGINT REFERENCES message (id) ON DELETE CASCADE,
    choice TEXT NOT NULL DEFAULT '',
    parent_id BIGINT REFERENCES interaction (id) ON DELETE CASCADE,
    channel_id BIGINT REFERENCES channel (id),
    topic TEXT NOT NULL DEFAULT '',
    user_ids TEXT NOT NULL DEFAULT '[]',
    given TEXT NOT NULL DEFAULT '{}',
    state TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    fetched_at DOUBLE PRECISION,
    answered_at DOUBLE PRECISION,
    reply TEXT NOT NULL DEFAULT '',
    rendered TEXT NOT NULL DEFAULT '',
    form TEXT NOT NULL DEFAULT '',
    errors TEXT NOT NULL DEFAULT '{}',
    answer_message_id BIGINT REFERENCES message (id) ON DELETE SET NULL
);
CREATE INDEX interaction_by_bot ON interaction (bot_id, id);
CREATE INDEX interaction_by_user ON interaction (user_id, id);
CREATE INDEX interaction_by_grant ON interaction (grant_id);
CREATE INDEX interaction_by_channel ON interaction (channel_id);
CREATE INDEX interaction_by_message ON interaction (message_id, user_id);
CREATE INDEX interaction_by_answer ON interaction (answer_message_id);
CREATE INDEX interaction_by_realm ON interaction (realm_id, created_at);
CREATE UNIQUE INDEX interaction_by_parent ON interaction (parent_id);
CREATE UNIQUE INDEX interaction_by_key ON interaction (user_id, user_key);

ALTER TABLE outbox ADD COLUMN interaction_id BIGINT REFERENCES interaction (id) ON DELETE CASCADE;
CREATE INDEX outbox_by_interaction ON outbox (interaction_id);
