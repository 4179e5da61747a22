"""What the scheduler still believes of images after nodes came, went or changed (spec 02 D.10)."""

from builders import node, pod
from run_builders import Story

MIB = 1 << 20


def with_image(name, mib):
    return node(name, images=[{"names": ["app:latest"], "sizeBytes": mib * MIB}])


def busy(name):
    """A pod that makes other nodes better by less than 60 points."""
    return pod(f"low-{name}", on=name, cpu="2400m", memory="4915Mi")


def empty(*names):
    return [node(name) for name in names]


def seen(story):
    """Image -> size and how many nodes have it, as the node that has it says."""
    spread = story.run.view.cluster.nodes.images["app:latest"]
    counts = [len(spread.rows)] * len(spread.rows) if spread.known_counts is None else spread.known_counts
    names = story.run.view.cluster.nodes.names
    return spread.size // MIB, {names[row]: int(n) for row, n in zip(spread.rows, counts, strict=True)}


def test_the_size_stays_that_of_the_first_node_after_it_went():
    story = Story(with_image("a", 40), empty("b"), with_image("c", 900)).delete(0, "Node", "a")
    assert seen(story.create(1, pod("x")).play()) == (40, {"c": 1})
    assert story.nodes["x"] == "b"


def test_once_no_node_has_an_image_the_next_one_tells_its_size():
    story = Story(with_image("a", 100), empty("b")).delete(0, "Node", "a").create(1, with_image("c", 900))
    assert seen(story.create(2, pod("x")).play()) == (900, {"c": 1})
    assert story.nodes["x"] == "c"


def test_a_node_that_gets_an_image_later_does_not_tell_its_size():
    story = Story(empty("a"), with_image("b", 700)).create(0, pod("x"))
    story.change(1, "Node", "a", {"status.images": [{"names": ["app:latest"], "size_bytes": 300 * MIB}]})
    assert seen(story.create(2, pod("y")).play())[0] == 700


def test_the_only_node_that_has_an_image_tells_another_size_when_it_changes():
    story = Story(with_image("a", 100), with_image("c", 900)).delete(0, "Node", "a")
    story.change(1, "Node", "c", {"spec.unschedulable": False}).create(2, pod("x"))
    assert seen(story.play())[0] == 900


def test_a_node_counts_others_as_when_it_changed_last():
    story = Story(with_image("a", 900), with_image("b", 900), busy("b"), empty("c"))
    story.create(0, pod("first", nodeSelector={"kubernetes.io/hostname": "c"})).delete(10, "Node", "a")
    assert seen(story.create(11, pod("x")).play())[1] == {"b": 2}
    assert story.nodes["x"] == "b"


def test_a_pod_on_a_node_lets_it_count_anew():
    story = Story(with_image("a", 900), with_image("b", 900), busy("b"), empty("c"))
    story.create(0, pod("first", nodeSelector={"kubernetes.io/hostname": "c"})).delete(10, "Node", "a")
    story.create(11, pod("second", nodeSelector={"kubernetes.io/hostname": "b"}))
    assert seen(story.create(12, pod("x")).play())[1] == {"b": 1}
    assert story.nodes["x"] == "c"
