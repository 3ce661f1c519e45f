-- Files on their way in take room of a quota too: whose they are, and what they may come to.

ALTER TABLE upload ADD COLUMN person_id BIGINT REFERENCES account (id);
ALTER TABLE upload ADD COLUMN awaited_bytes BIGINT NOT NULL DEFAULT 0;
