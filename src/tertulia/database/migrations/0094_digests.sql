-- When somebody was last looked at for a digest, whether or not there was something to tell.

CREATE TABLE digest (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    written_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX digest_by_realm ON digest (realm_id);
