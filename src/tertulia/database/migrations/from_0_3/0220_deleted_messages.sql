-- Deleted messages are documents: one row has a message with all that belonged to it. Edits that only
-- a legal hold keeps stay where the others are.
-- older servers cannot work with this

ALTER TABLE deleted_message RENAME TO newest_deleted_message;
DROP INDEX deleted_message_by_number;
CREATE INDEX newest_deleted_message_by_number ON newest_deleted_message (newest);

-- `is_held`: beyond the limits of the history, and kept for a legal hold.
ALTER TABLE message_edit ADD COLUMN is_held BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX message_edit_held ON message_edit (realm_id, id) WHERE is_held;
INSERT INTO message_edit (id, realm_id, message_id, user_id, edited_at, prev_content, prev_rendered,
        prev_topic, topic, prev_channel_id, channel_id, after_edit_id, is_held)
    SELECT h.id, h.realm_id, h.message_id, h.user_id, h.edited_at, h.prev_content, h.prev_rendered,
        h.prev_topic, h.topic, h.prev_channel_id, h.channel_id, h.after_edit_id, TRUE
    FROM held_message_edit h JOIN message m ON m.id = h.message_id;

-- Deleted messages that are kept until `purge_after`, or longer by a legal hold. `document` has the
-- other columns of the message, and its rows of other tables by table. `channel_ids` are the channels
-- that it was in, and `user_ids` the users with rows in the document: ",3,7,".
CREATE TABLE deleted_message (
    id BIGINT PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    sender_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    conversation_id BIGINT REFERENCES conversation (id),
    origin_channel_id BIGINT,
    channel_ids TEXT NOT NULL,
    user_ids TEXT NOT NULL,
    topic TEXT NOT NULL,
    topic_key TEXT NOT NULL,
    sent_at DOUBLE PRECISION NOT NULL,
    read_by_sender BOOLEAN NOT NULL,
    resolve_notice BOOLEAN NOT NULL,
    reason TEXT NOT NULL,
    deleted_at DOUBLE PRECISION NOT NULL,
    deleted_by BIGINT REFERENCES account (id),
    purge_after DOUBLE PRECISION NOT NULL,
    document TEXT NOT NULL
);
INSERT INTO deleted_message (id, realm_id, sender_id, channel_id, conversation_id, origin_channel_id,
        channel_ids, user_ids, topic, topic_key, sent_at, read_by_sender, resolve_notice, reason,
        deleted_at, deleted_by, purge_after, document)
    SELECT k.id, k.realm_id, k.sender_id, k.channel_id, k.conversation_id, k.origin_channel_id,
        ',' || coalesce(k.channel_id || ',', '') || coalesce(k.origin_channel_id || ',', '')
            || coalesce((SELECT {text_of}(e.prev_channel_id || ',', '') FROM kept_message_edit e
                WHERE e.message_id = k.id), '')
            || coalesce((SELECT {text_of}(e.prev_channel_id || ',', '') FROM held_message_edit e
                WHERE e.message_id = k.id), ''),
        ',' || coalesce((SELECT {text_of}(f.user_id || ',', '') FROM kept_message_flag f
                WHERE f.message_id = k.id), '')
            || coalesce((SELECT {text_of}(r.user_id || ',', '') FROM kept_reaction r
                WHERE r.message_id = k.id), '')
            || coalesce((SELECT {text_of}(s.sender_id || ',', '') FROM kept_submessage s
                WHERE s.message_id = k.id), ''),
        k.topic, k.topic_key, k.sent_at, k.read_by_sender, k.resolve_notice, k.reason, k.deleted_at,
        k.deleted_by, k.purge_after,
        '{"message":' || CAST({json_object}('content', k.content, 'rendered', k.rendered,
            'render_version', k.render_version, 'client', k.client, 'is_me', k.is_me,
            'channel_wildcard', k.channel_wildcard, 'has_link', k.has_link,
            'has_image', k.has_image, 'has_attachment', k.has_attachment,
            'arrived_seq', k.arrived_seq, 'edited_at', k.edited_at, 'moved_at', k.moved_at,
            'closed_seq', k.closed_seq) AS TEXT)
        || ',"message_flag":' || coalesce((SELECT CAST({json_array}({json_object}(
            'user_id', f.user_id, 'flag', f.flag)) AS TEXT)
            FROM kept_message_flag f WHERE f.message_id = k.id), '[]')
        || ',"reaction":' || coalesce((SELECT CAST({json_array}({json_object}('id', r.id,
            'user_id', r.user_id, 'emoji_name', r.emoji_name, 'emoji_code', r.emoji_code,
            'reaction_type', r.reaction_type)) AS TEXT)
            FROM kept_reaction r WHERE r.message_id = k.id), '[]')
        || ',"message_edit":' || coalesce((SELECT CAST({json_array}({json_object}('id', e.id,
            'user_id', e.user_id, 'edited_at', e.edited_at, 'prev_content', e.prev_content,
            'prev_rendered', e.prev_rendered, 'prev_topic', e.prev_topic, 'topic', e.topic,
            'prev_channel_id', e.prev_channel_id, 'channel_id', e.channel_id,
            'after_edit_id', e.after_edit_id, 'is_held', e.is_held)) AS TEXT)
            FROM (SELECT kept.*, FALSE AS is_held FROM kept_message_edit kept
                UNION ALL SELECT held.*, TRUE FROM held_message_edit held) e
            WHERE e.message_id = k.id), '[]')
        || ',"submessage":' || coalesce((SELECT CAST({json_array}({json_object}('id', s.id,
            'sender_id', s.sender_id, 'msg_type', s.msg_type, 'content', s.content)) AS TEXT)
            FROM kept_submessage s WHERE s.message_id = k.id), '[]')
        || ',"removed_link_preview":' || CASE WHEN EXISTS (SELECT 1 FROM kept_removed_link_preview p
            WHERE p.message_id = k.id) THEN '[{}]' ELSE '[]' END || '}'
    FROM kept_message k;
CREATE INDEX deleted_message_by_purge ON deleted_message (purge_after);
CREATE INDEX deleted_message_by_realm ON deleted_message (realm_id, id);
CREATE INDEX deleted_message_by_channel ON deleted_message (channel_id, topic_key, id);
CREATE INDEX deleted_message_by_conversation ON deleted_message (conversation_id, id);
CREATE INDEX deleted_message_by_sender ON deleted_message (sender_id, id);
CREATE INDEX deleted_message_by_deleter ON deleted_message (deleted_by);

-- The files that deleted messages link. Those that other messages link too are in `attachment`.
CREATE TABLE deleted_message_file (
    attachment_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES deleted_message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    PRIMARY KEY (attachment_id, message_id)
);
INSERT INTO deleted_message_file (attachment_id, message_id, realm_id)
    SELECT attachment_id, message_id, realm_id FROM kept_attachment_message;
CREATE INDEX deleted_message_file_by_message ON deleted_message_file (message_id);
CREATE INDEX deleted_message_file_by_realm ON deleted_message_file (realm_id);

DROP TABLE held_message_edit;
DROP TABLE kept_attachment_message;
DROP TABLE kept_removed_link_preview;
DROP TABLE kept_submessage;
DROP TABLE kept_message_edit;
DROP TABLE kept_reaction;
DROP TABLE kept_message_flag;
DROP TABLE kept_message;

-- The files that only deleted messages link.
ALTER TABLE kept_attachment RENAME TO deleted_attachment;
DROP INDEX kept_attachment_by_owner;
DROP INDEX kept_attachment_by_upload;
DROP INDEX kept_attachment_by_realm;
CREATE INDEX deleted_attachment_by_owner ON deleted_attachment (owner_id);
CREATE INDEX deleted_attachment_by_upload ON deleted_attachment (upload_id);
CREATE INDEX deleted_attachment_by_realm ON deleted_attachment (realm_id);
