-- Changing the roles of several accounts is about people, not about settings.
UPDATE audit_entry SET area = 'people' WHERE act LIKE '% /realm/accounts%';
