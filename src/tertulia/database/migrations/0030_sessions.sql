-- Browsers in which somebody has logged in. Of what a cookie holds only a fingerprint is kept.

CREATE TABLE session (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    fingerprint {blob} NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    address TEXT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_age ON session (realm_id, seen_at);

-- Passwords that were tried lately, right ones excepted: for which name, and from where.
CREATE TABLE password_attempt (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name_hash {blob} NOT NULL,
    address TEXT NOT NULL,
    tried_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX password_attempt_by_name ON password_attempt (realm_id, name_hash, tried_at);
CREATE INDEX password_attempt_by_age ON password_attempt (realm_id, tried_at);
