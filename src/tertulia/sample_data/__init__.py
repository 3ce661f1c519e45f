"""Sample data: the demo organization, and generated organizations of any size."""
