-- Topics are rows: renaming or resolving a topic changes one row, not each of its messages.
-- older servers cannot work with this

-- Where messages are. Several rows may have the same channel and key: spellings of one topic, and
-- parts that were moved into it. For readers they are one topic. A row without messages is deleted.
-- `edit_id` is the last of its moves, and `moved_edit_id` the last that did not only resolve it.
CREATE TABLE topic (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    edit_id BIGINT NOT NULL DEFAULT 0,
    moved_edit_id BIGINT NOT NULL DEFAULT 0,
    moved_at DOUBLE PRECISION
);
INSERT INTO topic (realm_id, channel_id, name, name_key)
    SELECT DISTINCT realm_id, channel_id, topic, topic_key FROM message
    WHERE channel_id IS NOT NULL ORDER BY realm_id, channel_id, topic_key, topic;
CREATE INDEX topic_by_name ON topic (channel_id, name_key, id);
CREATE INDEX topic_by_realm ON topic (realm_id, name_key, id);

-- The moves of all messages of a topic. A message that came into the topic later has those after
-- `message.topic_since`. `after_edit_id` is the last row of `message_edit` before it, and so its place
-- in the history of a message.
CREATE TABLE topic_edit (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    topic_id BIGINT NOT NULL REFERENCES topic (id),
    user_id BIGINT NOT NULL REFERENCES account (id),
    edited_at DOUBLE PRECISION NOT NULL,
    prev_topic TEXT,
    topic TEXT,
    prev_channel_id BIGINT,
    channel_id BIGINT,
    after_edit_id BIGINT NOT NULL
);
CREATE INDEX topic_edit_by_topic ON topic_edit (topic_id, id);
CREATE INDEX topic_edit_by_user ON topic_edit (user_id);
CREATE INDEX topic_edit_by_realm ON topic_edit (realm_id, id);

-- Set in copies of rows of `topic_edit`, for messages that left the topic.
ALTER TABLE message_edit ADD COLUMN after_edit_id BIGINT;
ALTER TABLE kept_message_edit ADD COLUMN after_edit_id BIGINT;
ALTER TABLE held_message_edit ADD COLUMN after_edit_id BIGINT;

-- Topics whose messages after `after_id` are to be indexed again, since this change.
CREATE TABLE search_stale_topic (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    topic_id BIGINT NOT NULL PRIMARY KEY REFERENCES topic (id),
    change BIGINT NOT NULL,
    after_id BIGINT NOT NULL
);
CREATE INDEX search_stale_topic_by_realm ON search_stale_topic (realm_id, topic_id);

DROP INDEX message_by_topic;
DROP INDEX message_resolved;
ALTER TABLE message ADD COLUMN topic_id BIGINT REFERENCES topic (id);
ALTER TABLE message ADD COLUMN topic_since BIGINT NOT NULL DEFAULT 0;
UPDATE message SET topic_id = (SELECT t.id FROM topic t WHERE t.channel_id = message.channel_id
    AND t.name_key = message.topic_key AND t.name = message.topic)
    WHERE channel_id IS NOT NULL;
ALTER TABLE message DROP COLUMN topic;
ALTER TABLE message DROP COLUMN topic_key;
CREATE INDEX message_by_topic ON message (topic_id, id) WHERE topic_id IS NOT NULL;
