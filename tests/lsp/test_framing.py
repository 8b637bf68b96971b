"""Frames on a stream that nobody vouches for."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.lsp import framing
from sightline.lsp.framing import BadFrame, FrameReader

_GOOD = b"Content-Length: 2\r\n\r\n{}"


def _read(data: bytes, sizes: list[int] | None = None, limit: int = 64 * 1024) -> list[object]:
    """Every frame of some bytes that come in pieces of some sizes, and then end."""

    async def read() -> list[object]:
        stream = asyncio.StreamReader(limit=limit)
        reader = FrameReader(stream)
        frames: list[object] = []

        async def feed() -> None:
            start = 0
            for size in sizes or []:
                stream.feed_data(data[start : start + size])
                start += size
                await asyncio.sleep(0)
            stream.feed_data(data[start:])
            stream.feed_eof()

        feeding = asyncio.ensure_future(feed())
        while (frame := await reader.next()) is not None:
            frames.append(frame)
        await feeding
        return frames

    return asyncio.run(read())


@given(st.lists(st.binary(max_size=40), max_size=5), st.lists(st.integers(1, 30), max_size=20))
@settings(max_examples=100, deadline=None)
def test_frames_come_out_as_they_went_in(bodies: list[bytes], sizes: list[int]) -> None:
    """However they are cut up on their way."""
    data = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in bodies)
    assert _read(data, sizes) == bodies


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Length: 2\n\n",
        b"\r\n\r\nContent-Length: 2\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nX-Other: 1\r\n\r\n",
        b"Content-Length: 00000000000000000002\r\n\r\n",
    ],
)
def test_headers_may_be_written_in_several_ways(header: bytes) -> None:
    """Names have no case, and other headers are passed over."""
    assert _read(header + b"{}") == [b"{}"]


@pytest.mark.parametrize(
    "bad",
    [
        b"{}\r\n",
        b"Content-Type: x\r\n\r\n",
        b"Content-Length: -2\r\n\r\n",
        b"Content-Length: two\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xfe\r\n",
        b"X: " + b"y" * 9000 + b"\r\n\r\n",
        b"x" * 200_000 + b"\r\n",
        b"A: b\r\n" * 40 + b"\r\n",
    ],
)
def test_what_is_no_frame_is_told_and_passed_over(bad: bytes) -> None:
    """The next good frame is found, and no byte of the bad one is repeated."""
    frames = _read(bad + _GOOD)
    assert frames[-1] == b"{}"
    problems = frames[:-1]
    assert problems
    for each in problems:
        assert isinstance(each, BadFrame)
        assert "yyy" not in each.problem


def test_a_message_that_is_too_large_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is passed over, whether it comes or not."""
    monkeypatch.setattr(framing, "LARGEST", 10)
    large = b"Content-Length: 3000\r\n\r\n" + b"z\n" * 1500
    assert _read(large + _GOOD) == [BadFrame("a message is larger than 10 bytes"), b"{}"]


@given(st.lists(st.sampled_from([_GOOD, b"\r\n", b"Content-Length: ", b"9", b"{}", b"\xff:"])))
@settings(max_examples=100, deadline=None)
def test_no_bytes_break_the_reader(pieces: list[bytes]) -> None:
    """It ends when its input does, and every answer is a frame or a problem."""
    assert all(isinstance(each, bytes | BadFrame) for each in _read(b"".join(pieces)))


def test_an_input_that_ends_in_a_frame_has_ended() -> None:
    """A piece of a message is no message."""
    for cut in range(1, len(_GOOD)):
        assert _read(_GOOD + _GOOD[:cut]) == [b"{}"]
