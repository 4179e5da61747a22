"""Documents as pages: one file that needs nothing else, opens from disk and asks no network."""
