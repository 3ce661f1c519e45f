-- What a password is asked for besides: an app that makes codes, codes for when it is lost, passkeys.
CREATE TABLE code_app (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    sealed {blob} NOT NULL, -- the secret that it shares with us
    last_step BIGINT NOT NULL, -- of the last code that was used: no earlier one is good any more
    made_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE recovery_code (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    code_hash {blob} NOT NULL
);
CREATE INDEX recovery_code_by_user ON recovery_code (user_id);

CREATE TABLE passkey (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    name TEXT NOT NULL,
    credential {blob} NOT NULL, -- its name for itself and its public key
    sign_count BIGINT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION
);
CREATE INDEX passkey_by_user ON passkey (user_id);
