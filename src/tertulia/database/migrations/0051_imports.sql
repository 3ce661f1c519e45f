-- Moving in: how far an import has come, and who has not been here since.

-- Somebody who was brought along and has not logged in yet.
ALTER TABLE account ADD COLUMN is_imported_stub BOOLEAN NOT NULL DEFAULT FALSE;

-- `state` holds under which numbers people, channels and files were brought, as JSON.
CREATE TABLE import_run (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    messages_done BIGINT NOT NULL,
    is_finished BOOLEAN NOT NULL DEFAULT FALSE
);
