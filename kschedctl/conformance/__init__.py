"""Golden decisions of kube-scheduler, replayed."""
