-- Whether the last call of an outgoing webhook timed out: its next calls run behind those of others.
ALTER TABLE bot ADD COLUMN service_timed_out BOOLEAN NOT NULL DEFAULT FALSE;
