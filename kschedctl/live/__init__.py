"""The only place that talks to a cluster: list and get, nothing else."""
