"""Claims, volumes and capacity, matched in storage terms."""
