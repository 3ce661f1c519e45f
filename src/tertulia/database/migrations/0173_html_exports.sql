-- An export may be a folder of HTML pages. An older server beside this one writes one in the usual
-- format instead, which the same administrator may have.
ALTER TABLE realm_export ADD COLUMN is_html BOOLEAN NOT NULL DEFAULT FALSE;
