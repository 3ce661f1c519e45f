-- What somebody has put into the sidebar of their client, or hidden there.

CREATE TABLE navigation_view (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    fragment TEXT NOT NULL,
    name TEXT,
    is_pinned BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, fragment)
);
CREATE INDEX navigation_view_by_realm ON navigation_view (realm_id);
