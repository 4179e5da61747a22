"""Rules for names, labels and annotations."""

from __future__ import annotations

from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.names import dns_label_problems, dns_subdomain_problems, label_key_problems

from .labels import validate_labels
from .problems import Problems, invalid_each, required


def validate_metadata(metadata: ObjectMeta) -> Problems:
    """The metadata of a pod. A missing namespace is `default`."""
    if metadata.generate_name:
        prefix = metadata.generate_name.removesuffix("-")
        yield from invalid_each(
            "metadata.generateName", metadata.generate_name, dns_subdomain_problems(prefix)
        )
    if metadata.name:
        yield from invalid_each("metadata.name", metadata.name, dns_subdomain_problems(metadata.name))
    elif not metadata.generate_name:
        yield required("metadata.name", "name or generateName is required")
    if metadata.namespace:
        yield from invalid_each(
            "metadata.namespace", metadata.namespace, dns_label_problems(metadata.namespace)
        )
    yield from validate_labels("metadata.labels", metadata.labels)
    for key in sorted(metadata.annotations):
        yield from invalid_each("metadata.annotations", key, label_key_problems(key.lower()))
