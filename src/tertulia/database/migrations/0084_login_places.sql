-- From where somebody has logged in lately, so that they are written to of what is new to them.
CREATE TABLE login_place (
    user_id BIGINT NOT NULL REFERENCES account (id),
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    mark {blob} NOT NULL, -- a fingerprint of the network and the kind of browser
    seen_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, mark)
);
CREATE INDEX login_place_by_age ON login_place (realm_id, seen_at);
