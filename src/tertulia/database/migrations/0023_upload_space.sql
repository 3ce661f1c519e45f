-- The sizes of somebody's attachments together, which a quota needs to know at every upload.

ALTER TABLE account ADD COLUMN upload_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE account SET upload_bytes =
    (SELECT coalesce(sum(a.size), 0) FROM attachment a WHERE a.owner_id = account.id)
    WHERE id IN (SELECT owner_id FROM attachment);
