-- Which command goes on with an import, so that no two do at once.
ALTER TABLE import_run ADD COLUMN bringer TEXT NOT NULL DEFAULT '';
