-- What linked pages said about themselves, for the previews below messages.
CREATE TABLE link_preview (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    image TEXT NOT NULL,
    fetched_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (realm_id, url)
);

CREATE INDEX link_preview_by_age ON link_preview (fetched_at);

-- Messages whose author, or a person who may delete them, removed the previews.
CREATE TABLE removed_link_preview (
    message_id BIGINT PRIMARY KEY REFERENCES message (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id)
);

CREATE INDEX removed_link_preview_by_realm ON removed_link_preview (realm_id);
