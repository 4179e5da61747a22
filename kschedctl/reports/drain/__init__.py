"""The report on nodes that go."""
