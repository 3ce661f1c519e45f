-- Web Push: the key that says who we are, where people want to be told, and what they are told.

CREATE TABLE push_key (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    public TEXT NOT NULL,
    sealed {blob} NOT NULL
);

CREATE TABLE push_subscription (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    endpoint TEXT NOT NULL,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX push_subscription_by_user ON push_subscription (user_id, id);
CREATE INDEX push_subscription_by_realm ON push_subscription (realm_id);

-- `sent` are those that a device may still show.
CREATE TABLE push_notice (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    reason TEXT NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    sent BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX push_notice_by_message ON push_notice (message_id);
CREATE INDEX push_notice_by_due ON push_notice (due_at);
CREATE INDEX push_notice_by_realm ON push_notice (realm_id);
