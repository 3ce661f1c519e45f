-- Accounts that came from elsewhere: who vouches for them, and what they are called there.
CREATE TABLE identity (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    is_ended BOOLEAN NOT NULL DEFAULT FALSE, -- the account was ended because the provider said so
    group_ids TEXT NOT NULL DEFAULT '[]', -- the groups it was brought into
    picture_mark TEXT NOT NULL DEFAULT '', -- which picture was brought
    UNIQUE (realm_id, provider, subject)
);
CREATE INDEX identity_by_user ON identity (user_id);

-- Logins that have left for a provider, and what they have to be recognized by; sealed.
CREATE TABLE login_departure (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    state_hash {blob} NOT NULL UNIQUE,
    browser_hash {blob} NOT NULL,
    sealed {blob} NOT NULL,
    left_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX login_departure_by_age ON login_departure (realm_id, left_at);

-- Tokens that finish a login elsewhere, good once and for seconds.
CREATE TABLE login_token (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    token_hash {blob} NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES account (id),
    method TEXT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX login_token_by_user ON login_token (user_id);
CREATE INDEX login_token_by_age ON login_token (realm_id, made_at);
