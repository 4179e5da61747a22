"""A template that keeps its document beside it is the template of a cluster that has none."""

import msgspec

from kschedctl.objects.apps import Deployment
from kschedctl.objects.written import with_written
from kschedctl.workloads.names import template_hash
from kschedctl.workloads.replicated import is_same_template

WRITTEN = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "i", "stdin": True}]},
        }
    },
}


def test_neither_its_hash_nor_a_rollout_looks_at_the_document() -> None:
    read = msgspec.convert(WRITTEN, Deployment)
    manifest = with_written(read, WRITTEN)
    assert manifest.spec.template.spec != read.spec.template.spec
    assert template_hash(manifest.spec.template) == template_hash(read.spec.template)
    assert is_same_template(manifest.spec.template, read.spec.template)
