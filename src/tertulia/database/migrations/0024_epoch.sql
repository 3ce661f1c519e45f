-- A log can go back: a copy was restored, or another PostgreSQL took over that lacked the last of it.
-- Then it is another log with the same numbers, and a queue says of which one it is a position.
-- Nothing stands for the epoch in which nobody counted epochs.

ALTER TABLE log_head ADD COLUMN epoch TEXT NOT NULL DEFAULT '';
ALTER TABLE queue ADD COLUMN epoch TEXT NOT NULL DEFAULT '';
