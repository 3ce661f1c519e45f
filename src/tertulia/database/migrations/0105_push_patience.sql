-- Push to those who do not answer: who was told already of a message, and when an endpoint that is
-- in trouble is tried again.

ALTER TABLE push_notice ADD COLUMN told TEXT NOT NULL DEFAULT '';
ALTER TABLE push_subscription ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push_subscription ADD COLUMN retry_at DOUBLE PRECISION NOT NULL DEFAULT 0;
