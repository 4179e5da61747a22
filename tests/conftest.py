"""Makes the builders beside this file importable from every folder of tests."""
