-- From which network a program was registered: one network cannot displace the programs of another.
ALTER TABLE agent_client ADD COLUMN network TEXT NOT NULL DEFAULT '';
