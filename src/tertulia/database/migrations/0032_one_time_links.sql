-- Links that are good once: to choose a password, to confirm an address. Only a fingerprint of what
-- they hold is kept. A row without a fingerprint remembers that somebody has asked for one in vain.

CREATE TABLE one_time_link (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    purpose TEXT NOT NULL,
    fingerprint {blob} UNIQUE,
    user_id BIGINT REFERENCES account (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    asked_from TEXT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX one_time_link_by_email ON one_time_link (realm_id, purpose, email_key);
CREATE INDEX one_time_link_by_asker ON one_time_link (realm_id, asked_from, made_at);
CREATE INDEX one_time_link_by_user ON one_time_link (user_id);
