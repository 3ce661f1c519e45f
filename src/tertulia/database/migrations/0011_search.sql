-- Search: which messages hold which words. All of it follows from `message` and can be made again.
-- Bitmaps are cut into segments of 65,536 ids, so that a new message changes small pieces only,
-- and all pieces that it changes lie close together.

-- Up to which message an organization has been indexed; those that changed since are listed.
CREATE TABLE search_head (
    realm_id BIGINT PRIMARY KEY REFERENCES realm (id),
    indexed_to BIGINT NOT NULL
);

CREATE TABLE search_stale (
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    PRIMARY KEY (realm_id, message_id)
){clustered};

-- Every word that some message holds.
CREATE TABLE search_word (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    word TEXT NOT NULL,
    stem TEXT NOT NULL,
    UNIQUE (realm_id, word)
);
CREATE INDEX search_word_by_stem ON search_word (realm_id, stem);

-- The words that contain three letters in a row: for finding parts of words.
CREATE TABLE search_gram (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    gram TEXT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, gram)
){clustered};

-- The messages that hold a word.
CREATE TABLE search_posting (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    word_id BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, word_id)
){clustered};

-- The words that a message was indexed with, so that it can be taken out again.
CREATE TABLE search_document (
    message_id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    words {blob} NOT NULL
);
