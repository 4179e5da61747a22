"""Allocation of devices to claims, in device terms."""
