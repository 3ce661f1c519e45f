-- Slow mode of a channel: the seconds between two messages of a user, until a time.
ALTER TABLE channel ADD COLUMN slow_mode_seconds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE channel ADD COLUMN slow_mode_until DOUBLE PRECISION;
