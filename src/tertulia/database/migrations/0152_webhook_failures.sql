-- What became of the calls of an outgoing webhook: when it answered last, and how many calls in a row
-- have failed since, with the last error.
ALTER TABLE bot ADD COLUMN service_answered_at DOUBLE PRECISION;
ALTER TABLE bot ADD COLUMN service_failed_at DOUBLE PRECISION;
ALTER TABLE bot ADD COLUMN service_failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bot ADD COLUMN service_error TEXT;
