-- Phrases: which messages have words that meet as the words of a phrase do. Of each two neighbours
-- the letters where they meet are a joint; joints are numbered by a hash, so a bitmap says where one
-- may be. Like all of the index it follows from `message`, and the texts have the last word.

CREATE TABLE search_joint (
    realm_id BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    joint BIGINT NOT NULL,
    bits {blob} NOT NULL,
    PRIMARY KEY (realm_id, segment, joint)
){clustered};

-- The joints that a message has, so that it can be taken out again. Whoever indexes a message anew
-- does not name any, and then it may hold every phrase.
ALTER TABLE search_document ADD COLUMN joints {blob};
CREATE INDEX search_document_unjoined ON search_document (realm_id, message_id)
    WHERE joints IS NULL;
