"""One question asked of two versions of kube-scheduler: what is not the same."""
