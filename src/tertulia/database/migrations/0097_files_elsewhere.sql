-- Uploaded files may be kept outside of the database. An upload never changes its place: whoever
-- carries a file makes a new upload of it and lets the attachment show that one.

-- 'folder' or 's3', and what the file is called there; empty for one whose pieces are here.
ALTER TABLE upload ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE upload ADD COLUMN stored_name TEXT NOT NULL DEFAULT '';
ALTER TABLE upload ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE upload ADD COLUMN stored_digest TEXT NOT NULL DEFAULT '';

CREATE INDEX upload_in_database ON upload (id) WHERE place = '' AND touched_at IS NULL;

-- While somebody copies everything as of one moment, nothing is taken out of a store.
CREATE TABLE file_hold (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    touched_at DOUBLE PRECISION NOT NULL
);
