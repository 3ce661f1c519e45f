-- Markup: linkifiers, what a message holds, and which renderer made its HTML.

CREATE TABLE linkifier (
    id {serial},
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    position BIGINT NOT NULL,
    pattern TEXT NOT NULL,
    url_template TEXT NOT NULL,
    example_input TEXT,
    reverse_template TEXT,
    alternative_url_templates TEXT NOT NULL,
    UNIQUE (realm_id, pattern)
);

-- Found while rendering, for narrows such as has:link.
ALTER TABLE message ADD COLUMN has_link BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE message ADD COLUMN has_image BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE message ADD COLUMN has_attachment BOOLEAN NOT NULL DEFAULT FALSE;

-- All messages have been rendered by at least this version of the renderer.
ALTER TABLE realm ADD COLUMN render_version INTEGER NOT NULL DEFAULT 0;
