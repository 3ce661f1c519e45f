"""The operator's page `/operator/`: the health of the servers, plots of the last day, a check of
the data, and a support bundle."""
