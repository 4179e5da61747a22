"""`--timings` and `--metrics-file`."""

import re

import pytest

QUICKSTART = ("-c", "fixtures/quickstart/cluster.yaml")
VERBS = {
    "explain": ("explain", "fixtures/quickstart/pod.yaml", *QUICKSTART),
    "preempt": ("preempt", "fixtures/quickstart/trainer.yaml", *QUICKSTART),
    "simulate": ("simulate", "fixtures/quickstart/trainer.yaml", *QUICKSTART),
    "capacity": ("capacity", "fixtures/quickstart/pod.yaml", *QUICKSTART),
    "drain": ("drain", "b01", "-c", "fixtures/zone-drain/cluster.yaml"),
}
SAMPLE = re.compile(r'[a-z_]+\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\} [0-9.e+-]+')


@pytest.mark.parametrize("verb", VERBS)
def test_the_report_is_the_same(run, verb):
    plain, measured = run(*VERBS[verb]), run(*VERBS[verb], "--timings")
    assert (plain.code, plain.out) == (measured.code, measured.out)
    assert re.search(r"^attempts took ", measured.err, re.MULTILINE)
    assert re.search(r"^Filter +\d+ ", measured.err, re.MULTILINE)
    assert max(map(len, measured.err.splitlines())) <= 80


def test_metrics_are_prometheus_text(run, tmp_path):
    path = tmp_path / "run.prom"
    done = run(*VERBS["simulate"], "--metrics-file", str(path))
    assert done.err == ""
    lines = path.read_text().splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert [line for line in samples if not SAMPLE.fullmatch(line)] == []
    assert 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1' in samples
    assert 'scheduler_pending_pods{queue="unschedulable"} 0' in samples
    name = "scheduler_framework_extension_point_duration_seconds"
    count = next(line for line in samples if line.startswith(f'{name}_count{{extension_point="Filter"'))
    last = next(
        line
        for line in samples
        if line.startswith(f'{name}_bucket{{extension_point="Filter"') and "+Inf" in line
    )
    assert count.split()[-1] == last.split()[-1]


def test_nothing_to_measure(run):
    done = run("drain", "worker-1", *QUICKSTART, "--timings")
    assert done.err == "no pod was tried, so that no plugin was asked\n"


def test_a_file_that_cannot_be_written(run, tmp_path):
    done = run(*VERBS["drain"], "--metrics-file", str(tmp_path / "no" / "such" / "folder"))
    assert done.code == 2
    assert done.err.startswith("error: ")
