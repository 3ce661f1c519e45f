-- Calls between browsers that are going on.
CREATE TABLE running_call (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    token TEXT NOT NULL,
    message_id BIGINT NOT NULL UNIQUE REFERENCES message (id) ON DELETE CASCADE,
    started_by BIGINT NOT NULL REFERENCES account (id),
    started_at DOUBLE PRECISION NOT NULL,
    ringing TEXT NOT NULL,
    rings_until DOUBLE PRECISION NOT NULL,
    UNIQUE (realm_id, token)
);
CREATE INDEX running_call_by_starter ON running_call (started_by);

-- Each browser in a call. The row of one that has left stays until the call ends, to count the people.
CREATE TABLE call_session (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    call_id BIGINT NOT NULL REFERENCES running_call (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES account (id),
    seen_at DOUBLE PRECISION NOT NULL,
    has_left BOOLEAN NOT NULL DEFAULT FALSE,
    is_muted BOOLEAN NOT NULL DEFAULT FALSE,
    has_camera BOOLEAN NOT NULL DEFAULT FALSE,
    has_screen BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX call_session_by_call ON call_session (call_id, id);
CREATE INDEX call_session_by_user ON call_session (user_id);
CREATE INDEX call_session_by_realm ON call_session (realm_id);
