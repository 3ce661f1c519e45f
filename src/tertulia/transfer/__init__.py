"""Moving in and out: other servers' exports become organizations here, and ours become exports."""
