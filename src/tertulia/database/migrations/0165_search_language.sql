-- The language of stems in the search index follows the language of the organization. While it
-- changes, the index has stems of former languages, too: words after `restemmed_to` in the order of
-- the database, and signatures of messages after `resigned_to`. An older server beside this one
-- gives new words English stems.
ALTER TABLE search_head ADD COLUMN language TEXT NOT NULL DEFAULT 'english';
ALTER TABLE search_head ADD COLUMN former_languages TEXT NOT NULL DEFAULT '';
ALTER TABLE search_head ADD COLUMN restemmed_to TEXT NOT NULL DEFAULT '';
ALTER TABLE search_head ADD COLUMN resigned_to BIGINT NOT NULL DEFAULT 0;
