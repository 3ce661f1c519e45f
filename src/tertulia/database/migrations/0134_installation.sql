-- Which installation this is. Two of them in two schemas of one PostgreSQL database must not share
-- notification channels and advisory locks, whose names are those of the whole database.

CREATE TABLE installation (
    id TEXT NOT NULL PRIMARY KEY
);
INSERT INTO installation (id) VALUES ({random_id});
