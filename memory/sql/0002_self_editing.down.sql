DROP VIEW consolidations;
DROP TYPE agent_memory_row CASCADE;
