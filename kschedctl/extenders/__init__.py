"""HTTP extenders: what they are asked, what they answer, and how the calls are carried (spec 01 §11)."""
