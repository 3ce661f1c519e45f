-- What somebody may no longer give is left out when their invitation is taken; an operator may give
-- everything, whoever stands in the letter.
ALTER TABLE invitation ADD COLUMN is_operators BOOLEAN NOT NULL DEFAULT FALSE;
