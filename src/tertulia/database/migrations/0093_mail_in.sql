-- Addresses at which mail is taken in: for the answer to a mail, and for a channel. They are kept as
-- hashes, since whoever knows one may write in somebody's name. And which mails have come already.

CREATE TABLE reply_address (
    hash TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    message_id BIGINT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    expires_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX reply_address_by_message ON reply_address (message_id);
CREATE INDEX reply_address_by_user ON reply_address (user_id);
CREATE INDEX reply_address_by_realm ON reply_address (realm_id);
CREATE INDEX reply_address_by_end ON reply_address (expires_at);

CREATE TABLE channel_address (
    hash TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL REFERENCES channel (id),
    sender_id BIGINT REFERENCES account (id),
    made_by BIGINT NOT NULL REFERENCES account (id)
);
CREATE INDEX channel_address_by_realm ON channel_address (realm_id);

CREATE TABLE received_mail (
    hash TEXT PRIMARY KEY,
    realm_id BIGINT NOT NULL,
    address_hash TEXT NOT NULL,
    received_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX received_mail_by_address ON received_mail (address_hash, received_at);
CREATE INDEX received_mail_by_time ON received_mail (received_at);
CREATE INDEX received_mail_by_realm ON received_mail (realm_id);
