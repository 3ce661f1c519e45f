-- Up to when it has been told who became a full member by the passing of time.

ALTER TABLE realm ADD COLUMN full_members_told_at DOUBLE PRECISION NOT NULL DEFAULT 0;
