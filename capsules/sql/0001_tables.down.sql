DROP TYPE capsule_row CASCADE;
