-- What each running server says about itself, and its samples of the last day. `id` is new with
-- every start of a process.
CREATE TABLE server_report (
    id TEXT NOT NULL PRIMARY KEY,
    seen_at DOUBLE PRECISION NOT NULL,
    report TEXT NOT NULL
){clustered};

CREATE TABLE server_sample (
    server_id TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    sample TEXT NOT NULL,
    PRIMARY KEY (server_id, at)
){clustered};
