-- A replaced refresh token and its salt give the tokens that replaced it, so that a repeated refresh
-- returns the same tokens. The salt alone gives none.
ALTER TABLE agent_token ADD COLUMN successor_salt {blob};
