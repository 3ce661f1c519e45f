-- Streamed answers that were stopped: the user who asked may delete the message that such an answer
-- becomes. `message_id` is set when the bot finishes it. An older server that deletes the message does
-- not know this table, therefore the cascade.
CREATE TABLE stopped_answer (
    bot_id BIGINT NOT NULL REFERENCES account (id),
    send_key TEXT NOT NULL,
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    asked_by BIGINT NOT NULL REFERENCES account (id),
    stopped_at DOUBLE PRECISION NOT NULL,
    message_id BIGINT REFERENCES message (id) ON DELETE CASCADE,
    PRIMARY KEY (bot_id, send_key)
);

CREATE INDEX stopped_answer_by_message ON stopped_answer (message_id);
CREATE INDEX stopped_answer_by_asker ON stopped_answer (asked_by);
CREATE INDEX stopped_answer_by_realm ON stopped_answer (realm_id);
CREATE INDEX stopped_answer_by_age ON stopped_answer (stopped_at);
