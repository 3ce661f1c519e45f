-- An export may contain one channel only. An older server beside this one writes an export of all
-- channels of that type instead, which the same administrator may have.
ALTER TABLE realm_export ADD COLUMN channel_id BIGINT REFERENCES channel (id);
