-- How one can log in is kept under the name by which it is set. What is inside a text cannot be
-- taken for it: there, quotes are escaped.

UPDATE realm SET settings = REPLACE(
    settings, '"email_auth_enabled":false', '"authentication_methods":{"Email":false}');
UPDATE realm SET settings = REPLACE(
    settings, '"email_auth_enabled":true', '"authentication_methods":{"Email":true}');
