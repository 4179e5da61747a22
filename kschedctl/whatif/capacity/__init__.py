"""How many more pods fit, and how many nodes a number of them needs."""
