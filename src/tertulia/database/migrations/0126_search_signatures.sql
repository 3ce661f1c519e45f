-- Search: messages with more words than the index lists have a signature instead. It is a Bloom
-- filter of their words, cut into 64 parts, so that a search reads one part per word it looks for.
-- Like all of the index it follows from `message`.

CREATE TABLE search_signature (
    realm_id BIGINT NOT NULL,
    part BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, part, message_id)
){clustered};

-- Texts are read before the transaction that indexes them. `changes` counts the changes of messages in
-- an organization; a message remembers the count at its last change, and a document the count up to
-- which it holds all changes. So a transaction can tell whether a text was read too early.
ALTER TABLE search_head ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE search_stale ADD COLUMN change BIGINT NOT NULL DEFAULT 0;
ALTER TABLE search_document ADD COLUMN change BIGINT NOT NULL DEFAULT 0;
