-- What people tell of themselves: an organization's own fields, their values, and pictures.

-- `data` holds the choices of a dropdown, or where an account lives, as JSON.
CREATE TABLE profile_field (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    name TEXT NOT NULL,
    field_type INTEGER NOT NULL,
    hint TEXT NOT NULL,
    data TEXT NOT NULL,
    position BIGINT NOT NULL,
    in_summary BOOLEAN NOT NULL,
    required BOOLEAN NOT NULL,
    editable_by_user BOOLEAN NOT NULL,
    for_matching BOOLEAN NOT NULL,
    UNIQUE (realm_id, name)
);

CREATE TABLE profile_value (
    realm_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES account (id),
    field_id BIGINT NOT NULL REFERENCES profile_field (id),
    value TEXT NOT NULL,
    rendered TEXT,
    PRIMARY KEY (user_id, field_id)
);
CREATE INDEX profile_value_by_field ON profile_value (field_id, user_id);
CREATE INDEX profile_value_by_realm ON profile_value (realm_id);

-- Uploaded pictures live here, so that every server can show them. Nobody can guess their names.
CREATE TABLE avatar (
    user_id BIGINT PRIMARY KEY REFERENCES account (id),
    realm_id BIGINT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    picture {blob} NOT NULL,
    medium {blob} NOT NULL
);
ALTER TABLE account ADD COLUMN avatar_name TEXT;
