"""Changes to a cluster and what follows from them."""
