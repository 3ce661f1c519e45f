-- Work for later: messages to be sent, reminders, and how far a queue no longer needs the log.

-- A row of a message that was sent keeps none of its words. It stays for a while, so that an edit
-- that comes too late can be told so.
CREATE TABLE scheduled_message (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    owner_id BIGINT NOT NULL REFERENCES account (id),
    channel_id BIGINT REFERENCES channel (id),
    topic TEXT NOT NULL DEFAULT '',
    user_ids TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    render_version INTEGER NOT NULL,
    mentions TEXT NOT NULL,
    client TEXT NOT NULL,
    read_by_sender BOOLEAN,
    deliver_at BIGINT NOT NULL,
    failed BOOLEAN NOT NULL DEFAULT FALSE,
    sent_at DOUBLE PRECISION
);
CREATE INDEX scheduled_message_by_owner ON scheduled_message (owner_id);
CREATE INDEX scheduled_message_waiting ON scheduled_message (realm_id, deliver_at, id)
    WHERE sent_at IS NULL AND NOT failed;
CREATE INDEX scheduled_message_sent ON scheduled_message (sent_at) WHERE sent_at IS NOT NULL;

-- `site` is the address under which its owner knows us, for the link to the message. A reminder
-- quotes its message, so it goes with it, whoever deletes that.
CREATE TABLE reminder (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    owner_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    note TEXT NOT NULL,
    site TEXT NOT NULL,
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    deliver_at BIGINT NOT NULL,
    failed BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX reminder_by_owner ON reminder (owner_id);
CREATE INDEX reminder_by_message ON reminder (message_id);
CREATE INDEX reminder_waiting ON reminder (realm_id, deliver_at, id) WHERE NOT failed;

-- Up to here the log holds nothing that the queue's client does not have.
ALTER TABLE queue ADD COLUMN scanned BIGINT NOT NULL DEFAULT 0;
UPDATE queue SET scanned = acked / 1048576;

-- The oldest direct messages, for retention; those of channels are found by channel.
CREATE INDEX message_direct ON message (realm_id, id) WHERE conversation_id IS NOT NULL;
