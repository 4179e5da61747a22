"""ClusterState: nodes and pods as columns, with assume, remove and undo."""
