-- What a bot has beyond its account. A bot without a row has chosen nothing.
--
-- The columns of a service are filled for outgoing webhooks alone. The token proves to whoever is
-- called that we are calling; it opens nothing here.
CREATE TABLE bot (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    sending_channel_id BIGINT REFERENCES channel (id),
    listening_channel_id BIGINT REFERENCES channel (id),
    all_public_channels BOOLEAN NOT NULL DEFAULT FALSE,
    service_url TEXT,
    service_interface INTEGER,
    service_token TEXT,
    config TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX bot_by_realm ON bot (realm_id);
CREATE INDEX account_by_bot_owner ON account (bot_owner_id);

-- What bots remember from one run to the next.
CREATE TABLE bot_memory (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_id, key)
);

-- Archiving a channel makes everything in it read for everybody. That is written once, as the event
-- and the newest message of that moment; whoever looks applies what is new since they looked. A
-- message that is moved out of such a channel later takes the number of the event along.
ALTER TABLE channel ADD COLUMN closed_seq BIGINT;
ALTER TABLE channel ADD COLUMN closed_message_id BIGINT;
CREATE INDEX channel_by_closing ON channel (realm_id, closed_seq) WHERE closed_seq IS NOT NULL;
ALTER TABLE message ADD COLUMN closed_seq BIGINT;
ALTER TABLE unread ADD COLUMN closings_seen BIGINT NOT NULL DEFAULT 0;
