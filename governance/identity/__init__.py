"""Who there is: tenants, agents, people, their keys, names and second factors."""
