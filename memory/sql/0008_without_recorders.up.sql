-- Recorders whose chunks a search leaves out, because it has seen that they crowd out everybody else's.
ALTER TYPE search_filter ADD ATTRIBUTE without_recorders text[];
