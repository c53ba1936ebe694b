ALTER TYPE search_filter DROP ATTRIBUTE without_recorders;
