-- Uploaded files.

-- The bytes live here, so that every server can serve them and a backup is one thing. They are in
-- pieces, all of one size but the last. `touched_at` is when the last piece came; it is empty once
-- an attachment shows the file, and 0 when nothing shows it any more and it is to be swept away.
CREATE TABLE upload (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    touched_at DOUBLE PRECISION
);
CREATE INDEX upload_by_touch ON upload (touched_at) WHERE touched_at IS NOT NULL;

CREATE TABLE upload_piece (
    realm_id BIGINT NOT NULL,
    upload_id BIGINT NOT NULL REFERENCES upload (id),
    position BIGINT NOT NULL,
    data {blob} NOT NULL,
    PRIMARY KEY (upload_id, position)
);

-- A file that has arrived. `path_id` is its address after /user_uploads/; nobody can guess it.
CREATE TABLE attachment (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    owner_id BIGINT NOT NULL REFERENCES account (id),
    upload_id BIGINT NOT NULL REFERENCES upload (id),
    path_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    is_animated BOOLEAN NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX attachment_by_owner ON attachment (owner_id, id);
CREATE INDEX attachment_by_upload ON attachment (upload_id);

-- A small picture for lists of messages, made when somebody first asks for it. Where it is empty,
-- none can be made.
CREATE TABLE attachment_thumbnail (
    realm_id BIGINT NOT NULL,
    attachment_id BIGINT PRIMARY KEY REFERENCES attachment (id),
    data {blob} NOT NULL
);

-- The messages that link a file, and so those who may read it.
CREATE TABLE attachment_message (
    realm_id BIGINT NOT NULL,
    attachment_id BIGINT NOT NULL REFERENCES attachment (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    PRIMARY KEY (attachment_id, message_id)
){clustered};
CREATE INDEX attachment_message_by_message ON attachment_message (message_id);

-- The messages that will link it, for which it is kept.
CREATE TABLE attachment_scheduled (
    realm_id BIGINT NOT NULL,
    attachment_id BIGINT NOT NULL REFERENCES attachment (id),
    scheduled_id BIGINT NOT NULL REFERENCES scheduled_message (id),
    PRIMARY KEY (attachment_id, scheduled_id)
){clustered};
CREATE INDEX attachment_scheduled_by_message ON attachment_scheduled (scheduled_id);

-- The sizes of all attachments together, which every event about one of them tells.
ALTER TABLE realm ADD COLUMN upload_bytes BIGINT NOT NULL DEFAULT 0;
