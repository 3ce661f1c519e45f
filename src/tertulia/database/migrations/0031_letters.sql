-- Mails on their way out. What they say may hold a way into an account, so it is sealed like a key.

CREATE TABLE letter (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    kind TEXT NOT NULL,
    sealed {blob} NOT NULL,
    written_at DOUBLE PRECISION NOT NULL,
    due_at DOUBLE PRECISION NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX letter_by_due ON letter (due_at);
