"""Which events may help the pods that a plugin rejected, a file a plugin or a kind of object (spec 08 §2.1)."""
