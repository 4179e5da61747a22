"""Storage in its own terms: claims, volumes, classes, where they are reachable and what a node can attach.

No scheduler types: the plugins turn these answers into verdicts. Everything about nodes is a vector over node
rows; a volume's affinity or a class's topology is decided once per distinct set of terms, never per node.
"""
