"""Many scenarios at a time: a grid of what is lost, added, released, and who decides."""
