"""What `tertulia check` and the operator's page examine: the data, the settings, other machines."""
