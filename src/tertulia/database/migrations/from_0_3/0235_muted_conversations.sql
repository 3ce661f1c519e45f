-- The conversation of a notification sends none until then.
ALTER TABLE push_notice ADD COLUMN muted_until DOUBLE PRECISION NOT NULL DEFAULT 0;
