-- A conversation is found by a digest of its members: PostgreSQL has no index over long texts.

ALTER TABLE conversation RENAME COLUMN member_ids TO digest;
ALTER TABLE conversation ADD COLUMN member_ids TEXT NOT NULL DEFAULT '';
UPDATE conversation SET member_ids = digest;
UPDATE conversation SET digest = {sha256_of_digest};
