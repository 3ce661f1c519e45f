-- Whose login it is that waits for a second step, so that it ends where their sessions do.
ALTER TABLE login_departure ADD COLUMN user_id BIGINT REFERENCES account (id);
CREATE INDEX login_departure_by_user ON login_departure (user_id);
