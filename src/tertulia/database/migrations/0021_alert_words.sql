-- Who is called by a text is found in memory, where all words of an organization are known.
DROP INDEX alert_word_by_token;
ALTER TABLE alert_word DROP COLUMN first_token;
CREATE INDEX alert_word_by_realm ON alert_word (realm_id);
