-- What an organization decides for all: whose addresses may join, and where code is tried out.

CREATE TABLE mail_domain (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    with_subdomains BOOLEAN NOT NULL,
    UNIQUE (realm_id, name)
);

CREATE TABLE playground (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    url_template TEXT NOT NULL,
    UNIQUE (realm_id, language, name)
);
