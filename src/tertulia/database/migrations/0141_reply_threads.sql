-- A reply address is good for one thread: the channel and the topic of its message when it was made.
-- Both are empty for direct messages, and for addresses that are older than this.
ALTER TABLE reply_address ADD COLUMN channel_id BIGINT REFERENCES channel (id);
ALTER TABLE reply_address ADD COLUMN topic TEXT;
