"""The judgement of one pod: the candidate, its group, what preemption does."""
