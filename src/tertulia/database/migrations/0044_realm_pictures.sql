-- Pictures of an organization: its icon, and its logos by day and by night.

CREATE TABLE realm_picture (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    picture {blob} NOT NULL,
    PRIMARY KEY (realm_id, kind)
);

-- The names of those that there are, by kind, as JSON.
ALTER TABLE realm ADD COLUMN pictures TEXT NOT NULL DEFAULT '{}';
