-- Phones that are told of messages through a forwarding service. `sealed` is the key that only the
-- phone and we know. What is pending is a registration that the service has not answered yet.

CREATE TABLE device (
    id {serial},
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    key_number BIGINT,
    sealed {blob},
    token_kind TEXT,
    token_id TEXT,
    pending_kind TEXT,
    pending_token_id TEXT,
    pending_since DOUBLE PRECISION,
    bouncer_public_key TEXT,
    encrypted_registration TEXT,
    due_at DOUBLE PRECISION,
    tries INTEGER NOT NULL DEFAULT 0,
    error_code TEXT,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX device_by_user ON device (user_id, id);
CREATE INDEX device_by_realm ON device (realm_id);
CREATE INDEX device_by_due ON device (due_at);

-- The older kind, which knows no keys.
CREATE TABLE device_token (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    token TEXT NOT NULL,
    app_id TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, kind, token)
);
CREATE INDEX device_token_by_realm ON device_token (realm_id);
