-- Exports that administrators have asked for. The archive is a file of whoever asked.

CREATE TABLE realm_export (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    asked_at DOUBLE PRECISION NOT NULL,
    started_at DOUBLE PRECISION,
    failed_at DOUBLE PRECISION,
    deleted_at DOUBLE PRECISION,
    attachment_id BIGINT,
    path_id TEXT
);
CREATE INDEX realm_export_by_realm ON realm_export (realm_id, id);
