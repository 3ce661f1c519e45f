-- Addresses compare by ASCII lower case; they were casefolded, which made one of two that differ
-- ("straße@" and "strasse@"). Two addresses that had different keys still have different ones, since
-- casefolding never tells apart what ASCII lower case does not: no two rows can meet.
-- An older server beside this one does not find these few accounts by their address.

-- People who are known by their address alone.
UPDATE identity SET subject = (SELECT lower(account.email{bytewise}) FROM account WHERE account.id = identity.user_id)
    WHERE EXISTS (SELECT 1 FROM account WHERE account.id = identity.user_id
        AND account.email_key = identity.subject AND account.email_key <> lower(account.email{bytewise}));

UPDATE account SET email_key = lower(email{bytewise}) WHERE email_key <> lower(email{bytewise});
UPDATE invitation SET email_key = lower(email{bytewise}) WHERE email_key <> lower(email{bytewise});
UPDATE one_time_link SET email_key = lower(email{bytewise}) WHERE email_key <> lower(email{bytewise});
