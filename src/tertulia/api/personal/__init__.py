"""What users keep for themselves."""
