"""Background jobs: one module per job. `runner.py` repeats them, `app.py` lists them."""
