-- Legal holds: what users or channels write is kept when it is deleted or edited, until the hold
-- ends. Each hold is on one user or one channel. An older server beside this one does not keep what
-- it deletes.
CREATE TABLE legal_hold (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    reason TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    created_by BIGINT REFERENCES account (id),
    ended_at DOUBLE PRECISION,
    ended_by BIGINT REFERENCES account (id)
);
CREATE INDEX legal_hold_by_realm ON legal_hold (realm_id, ended_at);
CREATE INDEX legal_hold_by_user ON legal_hold (user_id);
CREATE INDEX legal_hold_by_channel ON legal_hold (channel_id);
CREATE INDEX legal_hold_by_creator ON legal_hold (created_by);
CREATE INDEX legal_hold_by_ender ON legal_hold (ended_by);

-- Earlier versions of messages on hold that the limits of the edit history would delete. The message
-- may be in `message` or in `kept_message`.
CREATE TABLE held_message_edit (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    edited_at DOUBLE PRECISION NOT NULL,
    prev_content TEXT,
    prev_rendered TEXT,
    prev_topic TEXT,
    topic TEXT,
    prev_channel_id BIGINT,
    channel_id BIGINT
);
CREATE INDEX held_message_edit_by_message ON held_message_edit (message_id, id);
CREATE INDEX held_message_edit_by_user ON held_message_edit (user_id);
CREATE INDEX held_message_edit_by_realm ON held_message_edit (realm_id, id);
