-- Sends that touch little: fewer pages, and one row that says whether what is known still holds.
-- older servers cannot work with this

-- The last event after which somebody may send what they could not, or the other way round.
ALTER TABLE log_head ADD COLUMN rules_seq BIGINT NOT NULL DEFAULT 0;
UPDATE log_head SET rules_seq = seq;

-- A message gets the number after the newest. If that was deleted, its number is remembered here, so
-- that no number ever means two messages.
CREATE TABLE deleted_message (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    newest BIGINT NOT NULL
);
CREATE INDEX deleted_message_by_number ON deleted_message (newest);
INSERT INTO deleted_message (realm_id, newest)
    SELECT min(id), {last_message_id} FROM realm HAVING count(*) > 0;
