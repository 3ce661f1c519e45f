-- What people may have missed: how far it was looked for, what was found, and when they are told.

CREATE TABLE missed_position (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    seq BIGINT NOT NULL
);

CREATE TABLE missed_message (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    reason TEXT NOT NULL,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX missed_message_by_message ON missed_message (message_id);
CREATE INDEX missed_message_by_realm ON missed_message (realm_id);

CREATE TABLE missed_timer (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    due_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX missed_timer_by_due ON missed_timer (due_at);
