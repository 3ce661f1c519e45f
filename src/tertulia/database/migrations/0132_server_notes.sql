-- What the servers of a database note for each other: which version it was opened by last, and when
-- owners were warned of a full disk.
CREATE TABLE server_note (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
){clustered};
