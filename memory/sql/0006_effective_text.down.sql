ALTER TABLE memory_effectivechunk DROP COLUMN text;
