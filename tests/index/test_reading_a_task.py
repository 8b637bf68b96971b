"""A task as it is read: sections, names, frames of many languages, paths; and hostile texts."""

from __future__ import annotations

import pytest

from sightline.index.finding.task_text import MOST_CHARACTERS, TaskSection, TaskText, read_task
from sightline.index.finding.traceback_frames import TraceFrame, read_frame

_ISSUE = """\
# Retries ignore `RetryPolicy.limit`

<!-- Please fill in
the HiddenTemplate below -->
Since 2.1 the client sends *forever*, see https://host.example/org/repo/blob/main/src/net/retry.py#L3.
The limit of `send_all()` in src/net/client.py is not read.

```python
class MyPolicy(RetryPolicy):
    pass
client = make_client(MyPolicy())
client.send_all("never ends")
```

Traceback (most recent call last):
  File "/home/me/run.py", line 3, in <module>
    client.send_all()
  File "/usr/lib/site-packages/net/client.py", line 12, in send_all
    raise RetryError(limit)
net.errors.RetryError: no attempts left

Python: 3.11.2
OS: Linux 6.1
"""


@pytest.fixture(scope="module")
def task() -> TaskText:
    return read_task(_ISSUE)


@pytest.mark.parametrize(
    ("word", "section"),
    [
        ("Retries", TaskSection.TITLE),
        ("limit", TaskSection.INLINE),
        ("forever", TaskSection.PROSE),
        ("make_client", TaskSection.CODE),
        ("module", TaskSection.TRACE),
        ("attempts", TaskSection.ERROR),
        ("Linux", TaskSection.ENVIRONMENT),
    ],
)
def test_a_word_counts_in_the_section_of_its_line(
    task: TaskText, word: str, section: TaskSection
) -> None:
    assert task.words[word][section] > 0


def test_comments_and_addresses_have_no_words(task: TaskText) -> None:
    assert not {"HiddenTemplate", "fill", "https", "blob"} & set(task.words)


def test_what_the_code_of_a_task_defines_counts_little(task: TaskText) -> None:
    assert not task.words["MyPolicy"]
    assert (sum(task.mentions["MyPolicy"].sections.values()), task.mentions["MyPolicy"].own) == (
        0,
        2,
    )
    assert task.mentions["RetryPolicy"].sections[TaskSection.CODE] == 1


def test_names_are_told_from_words(task: TaskText) -> None:
    as_code = ("RetryPolicy", "limit", "send_all", "make_client", "never", "errors")
    assert [name for name in as_code if not task.mentions[name].is_code] == []
    assert not task.mentions["forever"].is_code
    assert task.dotted["RetryPolicy", "limit"] == {TaskSection.INLINE: 1}
    assert list(task.pointed) == ["RetryPolicy.limit", "send_all"]


def test_paths_are_read_from_prose_and_addresses(task: TaskText) -> None:
    assert [path for path in task.paths if "/" in path] == [
        "host.example/org/repo/blob/main/src/net/retry.py",
        "src/net/client.py",
    ]
    assert [(each.path, each.line, each.function) for each in task.frames] == [
        ("/home/me/run.py", 3, ""),
        ("/usr/lib/site-packages/net/client.py", 12, "send_all"),
    ]


@pytest.mark.parametrize(
    ("line", "path", "number", "function"),
    [
        ('  File "a/b.py", line 7, in call', "a/b.py", 7, "call"),
        ("File ~/lib/b.py:7, in Shape.call(self)", "~/lib/b.py", 7, "call"),
        ("~/lib/b.py in call(self, x)", "~/lib/b.py", 0, "call"),
        ("a/b.py:7: in call", "a/b.py", 7, "call"),
        ("a/b.py:7: ValueError", "a/b.py", 7, ""),
        ("    at Object.call (/app/src/b.js:7:13)", "/app/src/b.js", 7, "call"),
        ("    at async call (file:///app/src/b.mjs:7:13)", "/app/src/b.mjs", 7, "call"),
        ("    at /app/src/b.ts:7:13", "/app/src/b.ts", 7, ""),
        (r"    at call (C:\app\src\b.js:7:13)", "C:/app/src/b.js", 7, "call"),
        ("\tat org.acme.shop.Cart.add(Cart.java:7)", "org/acme/shop/Cart.java", 7, "add"),
        ("\tat org.acme.Cart$Item.<init>(Cart.java:7)", "org/acme/Cart.java", 7, ""),
        (r"   at Acme.Cart.Add(Item i) in C:\x y\Cart.cs:line 7", "C:/x y/Cart.cs", 7, "Add"),
        ("\t/go/src/acme/cart.go:7 +0x1d", "/go/src/acme/cart.go", 7, ""),
        ("thread 'main' panicked at src/cart.rs:7:5:", "src/cart.rs", 7, ""),
        ("thread 'main' panicked at 'no', src/cart.rs:7:5", "src/cart.rs", 7, ""),
        ("             at ./src/cart.rs:7:5", "./src/cart.rs", 7, ""),
        ("  --> src/cart.rs:7:5", "src/cart.rs", 7, ""),
        ("lib/cart.rb:7:in `add': no (Error)", "lib/cart.rb", 7, "add"),
        ("\tfrom lib/cart.rb:7:in 'Cart#add'", "lib/cart.rb", 7, "add"),
        ("#0 /srv/app/Cart.php(7): Shop->add()", "/srv/app/Cart.php", 7, ""),
        ("#1  0x0000 in add (n=1) at src/cart.c:7", "src/cart.c", 7, "add"),
        ("    #1 0x4f2 in add /src/cart.cc:7:3", "/src/cart.cc", 7, "add"),
        ("src/cart.ts(7,5): error TS2345: no", "src/cart.ts", 7, ""),
        ("src/cart.ts:7:5 - error TS2345: no", "src/cart.ts", 7, ""),
        ("./cart.go:7:2: undefined: add", "./cart.go", 7, ""),
    ],
)
def test_frames_of_many_languages(line: str, path: str, number: int, function: str) -> None:
    frame = read_frame(line)
    assert frame is not None
    assert (frame.path, frame.line, frame.function) == (path, number, function)


@pytest.mark.parametrize(
    "line",
    ["It fails at 12:30 in the morning.", "see section 3.4: it is there", "at most 3 of them", ""],
)
def test_prose_is_no_frame(line: str) -> None:
    assert read_frame(line) is None


def test_the_innermost_frame_stands_last_whichever_way_it_was_printed() -> None:
    text = "Broken\n\nError: no\n    at inner (/a/x.js:1:1)\n    at outer (/a/y.js:2:2)\n"
    assert [each.function for each in read_task(text).frames] == ["outer", "inner"]
    text = 'Broken\n\n  File "y.py", line 1, in outer\n  File "x.py", line 2, in inner\n'
    assert [each.function for each in read_task(text).frames] == ["outer", "inner"]


@pytest.mark.parametrize("text", ["", "\n\n \t\n", "<!-- -->", "```", "\0", "\ud800 half", "\r\r"])
def test_a_task_may_say_nothing(text: str) -> None:
    task = read_task(text)
    assert (task.frames, task.paths) == ((), ())


def _hostile() -> dict[str, str]:
    """Texts on which a pattern that goes back over what it has read would take minutes."""
    pieces = [
        *("a", " ", ".", "/", "(", ")", "`", "'", '"', "<", "<!--", "_", "A", "0", ":", "\\", "#"),
        *("a.", "a/", "a/b.", "a::", "A.", "at ", "if :", "f() ", "File ", "#0 ", "://", "=", "- "),
        *(
            "a.py:1:",
            "a.py in ",
            "x = ",
            "\t",
            "E ",
            "aA",
            "_a",
            "é",
            "\n",
            "```\n",
            "> ",
            "at a (",
        ),
    ]
    long = 1 << 20
    texts = {f"{piece!r} again and again": piece * (long // len(piece)) for piece in pieces}
    texts |= {
        f"lines of {piece!r}": f"title\n\n{(piece * 1_900)[:1_900]}x\n" * 30 for piece in pieces
    }
    frames = '  File "a/b.py", line 3, in call\n' * 20_000
    return {**texts, "frames": f"Broken\n\nTraceback (most recent call last):\n{frames}"}


def test_no_text_takes_long_to_read() -> None:
    """All of them together are read in a few seconds; one that is not linear takes minutes."""
    for text in _hostile().values():
        read_task(text)


def test_what_stands_far_behind_is_not_read() -> None:
    text = "word " * (MOST_CHARACTERS // 5) + "last"
    assert "last" not in read_task(text).words


def test_thousands_of_frames_are_all_frames() -> None:
    text = '  File "a.py", line 3, in call\n' * 1_000
    assert read_task(text).frames[-1] == TraceFrame("a.py", 3, "call", is_outermost_first=True)
    assert len(read_task(text).frames) == 1_000
