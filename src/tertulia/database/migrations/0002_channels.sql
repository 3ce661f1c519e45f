-- Folders that hold channels together, and how lively each channel has been.

CREATE TABLE channel_folder (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    description TEXT NOT NULL,
    rendered_description TEXT NOT NULL,
    position BIGINT NOT NULL,
    creator_id BIGINT REFERENCES account (id),
    created_at DOUBLE PRECISION NOT NULL,
    archived BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX channel_folder_by_realm ON channel_folder (realm_id, position);

-- Messages in an average week, counted about once a day; nothing in a channel's first week.
ALTER TABLE channel ADD COLUMN weekly_traffic INTEGER;
ALTER TABLE channel ADD COLUMN counted_at DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE channel ADD COLUMN recently_active BOOLEAN NOT NULL DEFAULT TRUE;
CREATE INDEX channel_by_count ON channel (realm_id, counted_at);
