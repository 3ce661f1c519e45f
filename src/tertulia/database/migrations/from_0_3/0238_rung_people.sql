-- For whom a call has rung, so that its message can say who has missed it.
ALTER TABLE running_call ADD COLUMN rung TEXT NOT NULL DEFAULT '[]';
