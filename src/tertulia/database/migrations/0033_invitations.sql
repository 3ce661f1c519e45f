-- Invitations, for one address or as a link for many. The key of its link is kept as API keys are:
-- found by a fingerprint, and sealed.

CREATE TABLE invitation (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    inviter_id BIGINT NOT NULL REFERENCES account (id),
    email TEXT,
    email_key TEXT,
    role INTEGER NOT NULL,
    channel_ids TEXT NOT NULL,
    group_ids TEXT NOT NULL,
    with_defaults BOOLEAN NOT NULL,
    tells_inviter BOOLEAN NOT NULL,
    welcome TEXT NOT NULL,
    fingerprint {blob} NOT NULL UNIQUE,
    sealed {blob} NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    ended_at DOUBLE PRECISION
);
CREATE INDEX invitation_by_realm ON invitation (realm_id, made_at);
CREATE INDEX invitation_by_email ON invitation (realm_id, email_key);
CREATE INDEX invitation_by_inviter ON invitation (inviter_id);

-- A sign-up that began with an invitation ends with it.
ALTER TABLE one_time_link ADD COLUMN invitation_id BIGINT REFERENCES invitation (id);
