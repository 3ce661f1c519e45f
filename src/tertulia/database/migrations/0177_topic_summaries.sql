-- Whether topics of a channel may be sent to the operator's language model for a summary.
ALTER TABLE channel ADD COLUMN allows_summaries BOOLEAN NOT NULL DEFAULT TRUE;
