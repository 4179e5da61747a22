"""When it is asked again, how long it is waited, and when it is given up."""

import pytest

from kschedctl.errors import ClusterError
from kschedctl.live.connection import Response
from kschedctl.live.patience import PatientReader, Stopped
from kschedctl.live.trouble import LostAnswer, NoConnection, Unavailable


class Clock:
    """Time that passes only by waiting."""

    def __init__(self):
        self.now = 100.0
        self.pauses = []

    def __call__(self):
        return self.now

    def wait(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds
        return False


class Replies:
    """A connection that gives these answers, one after the other, the last for ever."""

    acts_as = ""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.seconds = []

    def __str__(self):
        return "context test"

    def get(self, path, query, seconds):
        self.seconds.append(seconds)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply


def answer(status, **headers):
    return Response(status, headers, b'{"message": "later"}')


def reader_of(*replies, seconds=60.0, request_seconds=30.0):
    clock, connection = Clock(), Replies(*replies)
    reader = PatientReader(connection, seconds, request_seconds, clock)
    reader._stop.wait = clock.wait
    return reader, clock, connection


def test_pauses_grow_up_to_a_limit():
    reader, clock, _ = reader_of(*[answer(429)] * 7, answer(200))
    assert reader.get("/x").status == 200
    assert clock.pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


@pytest.mark.parametrize(
    ("header", "pause"), [("3", 3.0), ("0", 0.5), ("9999", 32.0), ("Fri, 31 Dec 1999 23:59:59 GMT", 0.5)]
)
def test_the_server_may_ask_for_a_longer_pause(header, pause):
    reader, clock, _ = reader_of(answer(429, **{"Retry-After": header}), answer(200))
    reader.get("/x")
    assert clock.pauses == [pause]


@pytest.mark.parametrize("status", [200, 400, 403, 404, 410])
def test_final_answers_are_given_back(status):
    reader, clock, _ = reader_of(answer(status))
    assert reader.get("/x").status == status
    assert clock.pauses == []


def test_a_lost_answer_is_asked_for_again():
    reader, _, connection = reader_of(LostAnswer("cut"), LostAnswer("cut"), answer(200))
    assert reader.get("/x").status == 200
    assert len(connection.seconds) == 3


def test_it_ends_before_a_pause_that_would_be_too_long():
    reader, clock, _ = reader_of(answer(503), seconds=4.0)
    with pytest.raises(ClusterError, match=r"context test: no answer to GET /x within 4 s; last: 503 later"):
        reader.get("/x")
    assert clock.pauses == [0.5, 1.0, 2.0]


def test_no_request_gets_more_than_what_is_left():
    reader, _, connection = reader_of(LostAnswer("slow"), answer(200), seconds=10.0, request_seconds=30.0)
    reader.get("/x")
    assert connection.seconds == [10.0, 9.5]


def test_after_stop_nothing_is_asked():
    reader, _, connection = reader_of(answer(200))
    reader.stop()
    with pytest.raises(Stopped):
        reader.get("/x")
    assert connection.seconds == []


def test_time_is_shared_by_all_requests():
    reader, clock, _ = reader_of(answer(200), seconds=5.0)
    clock.now += 6
    with pytest.raises(ClusterError, match="not asked yet"):
        reader.get("/x")


FAILURES = [
    pytest.param(answer(503), "503 later", id="an answer that says so"),
    pytest.param(LostAnswer("cut"), "cut", id="no answer"),
]


class TestFailuresOfOneQuestion:
    PATH = "/apis/policy/v1/poddisruptionbudgets"

    @pytest.mark.parametrize(("reply", "trouble"), FAILURES)
    def test_what_one_can_do_without_is_given_up_soon(self, reply, trouble):
        reader, clock, _ = reader_of(reply)
        with pytest.raises(Unavailable, match=f"context test fails on GET {self.PATH}: {trouble}"):
            reader.get(self.PATH, optional=True)
        assert clock.pauses == [0.5, 1.0, 2.0, 4.0]

    def test_others_of_the_same_group_are_asked_for_once(self):
        reader, clock, connection = reader_of(answer(503))
        for path in (self.PATH, "/apis/policy/v1/others"):
            with pytest.raises(Unavailable):
                reader.get(path, optional=True)
        assert len(clock.pauses) == 4
        assert len(connection.seconds) == 6

    def test_other_groups_are_not(self):
        reader, clock, _ = reader_of(answer(503))
        for path in (self.PATH, "/apis/apps/v1/replicasets"):
            with pytest.raises(Unavailable):
                reader.get(path, optional=True)
        assert len(clock.pauses) == 8

    def test_what_one_cannot_do_without_is_given_up_later(self):
        reader, clock, _ = reader_of(answer(503))
        with pytest.raises(Unavailable):
            reader.get("/api/v1/pods")
        assert 20 < sum(clock.pauses) <= 30

    def test_a_busy_server_is_waited_for_whatever_is_asked(self):
        reader, clock, _ = reader_of(*[answer(429)] * 6, answer(200))
        assert reader.get(self.PATH, optional=True).status == 200
        assert sum(clock.pauses) > 20


class TestNoConnection:
    def test_who_has_never_answered_is_given_up_at_once(self):
        reader, clock, _ = reader_of(NoConnection("connection refused"))
        with pytest.raises(ClusterError, match="context test cannot be reached: connection refused"):
            reader.get("/version")
        assert clock.pauses == []

    def test_who_has_answered_may_come_back(self):
        reader, clock, _ = reader_of(answer(200), *[NoConnection("refused")] * 6, answer(200))
        reader.get("/version")
        assert reader.get("/x", optional=True).status == 200
        assert len(clock.pauses) == 6


def test_trouble_is_told_at_once_and_once():
    told = []

    class Told:
        warning = staticmethod(told.append)

    clock, connection = Clock(), Replies(answer(429), answer(429), LostAnswer("cut"), answer(200))
    reader = PatientReader(connection, 60.0, 30.0, clock, Told())
    reader._stop.wait = clock.wait
    reader.get("/x")
    assert told == [
        "context test: GET /x: 429 later; asking again, for 60 s at most",
        "context test: GET /x: cut; asking again, for 58 s at most",
    ]
