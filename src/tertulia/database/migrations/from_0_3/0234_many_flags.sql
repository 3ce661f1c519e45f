-- Who has messages that they did not receive, for moves of many messages.
CREATE INDEX message_flag_historical ON message_flag (message_id, user_id)
    WHERE flag = 'historical';

-- Flags that one message has for many users, until the server has written them to `message_flag` in
-- portions; readers add them. `user_ids` lists the users: ",3,7,".
CREATE TABLE pending_flag (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    message_id BIGINT NOT NULL REFERENCES message (id),
    flag TEXT NOT NULL,
    user_ids TEXT NOT NULL,
    PRIMARY KEY (message_id, flag)
);
CREATE INDEX pending_flag_by_realm ON pending_flag (realm_id);
