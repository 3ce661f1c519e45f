-- When a status ends; a job of the leader clears it then. NULL means never.
ALTER TABLE user_status ADD COLUMN ends_at DOUBLE PRECISION;
CREATE INDEX user_status_by_end ON user_status (ends_at);
