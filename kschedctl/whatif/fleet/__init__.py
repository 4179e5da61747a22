"""What to buy: catalogues of shapes, the least that could do, and mixes that kube-scheduler fills."""
