"""Victims, disruption budgets, and the choice of a node to preempt on."""
