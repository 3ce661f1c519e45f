-- When a session ends at the latest, because the provider that has vouched for it said so.
ALTER TABLE session ADD COLUMN ends_at DOUBLE PRECISION;
