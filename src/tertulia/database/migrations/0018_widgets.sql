-- Polls and to-do lists: what a message began as, and what people have added to it since.

CREATE TABLE submessage (
    id {serial},
    realm_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL REFERENCES message (id),
    sender_id BIGINT NOT NULL REFERENCES account (id),
    msg_type TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX submessage_by_message ON submessage (message_id, id);
CREATE INDEX submessage_by_sender ON submessage (sender_id);
