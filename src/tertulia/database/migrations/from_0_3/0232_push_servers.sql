-- ntfy and Gotify servers: their sealed token, and whether they get the text of messages.
ALTER TABLE push_subscription ADD COLUMN sealed {blob};
ALTER TABLE push_subscription ADD COLUMN sends_text BOOLEAN NOT NULL DEFAULT FALSE;
