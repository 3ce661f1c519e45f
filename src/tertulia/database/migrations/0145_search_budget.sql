-- Search: how many new words a person has added to the vocabulary beyond what each message may add,
-- as of the time of their last message that did. Bots count with their owner.
CREATE TABLE search_budget (
    realm_id BIGINT NOT NULL REFERENCES realm (id),
    person_id BIGINT NOT NULL REFERENCES account (id),
    words DOUBLE PRECISION NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (realm_id, person_id)
){clustered};
