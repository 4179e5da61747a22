"""The room of every node: how much it has, how much is in use before and after, and by whom."""
