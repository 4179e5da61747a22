"""Status codes, plugin contracts, profiles, versions and the runner of plugins."""
