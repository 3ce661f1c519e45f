-- Who did what: administrative acts and logins. `actor_id` is empty for the command line and for who
-- was not recognized. People are named by their ids alone, so that nothing of them stays here when an
-- account is erased.

CREATE TABLE audit_entry (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    at DOUBLE PRECISION NOT NULL,
    actor_id BIGINT,
    address TEXT NOT NULL,
    act TEXT NOT NULL,
    details TEXT NOT NULL DEFAULT '{}',
    result TEXT NOT NULL
);
CREATE INDEX audit_entry_by_realm ON audit_entry (realm_id, id);
CREATE INDEX audit_entry_by_time ON audit_entry (at);
