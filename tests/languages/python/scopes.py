"""Where a declaration stands: its container, and what is local."""

import contextlib
import sys

try:
    import tomllib
except (ImportError, ModuleNotFoundError) as error:
    import tomli as tomllib

    print(error)


if sys.version_info >= (3, 12):

    def conditional():
        return 1

    FLAG = True
elif sys.platform == "win32":

    def conditional():
        return 2
else:
    print("nothing is declared here")

try:
    from fast import speedup
except ImportError:

    def speedup(function):
        return function

else:
    quick = True
finally:
    done = 1

with contextlib.suppress(ValueError):

    class Guarded:
        pass


for index in range(3):
    doubled = index * 2

    def in_loop():
        pass


while False:
    print("no declaration")

match sys.argv:
    case [_, str() as argument]:

        def matched():
            pass

    case contextlib.ExitStack(callback=None) | Guarded():
        fallback = None


def outer(factor):
    """Variables of a function are no symbols; named functions and classes in it are."""
    global COUNT
    COUNT = 1
    local = factor

    def inner(value):
        nonlocal local
        local = value

        def innermost():
            return local

        return innermost

    class Local(Guarded):
        LIMIT = 1

        def method(self):
            def helper():
                pass

            return helper

    try:
        def attempt(): pass
    except Exception:
        pass
    return inner, Local, attempt


class Outer:
    if sys.platform == "linux":

        def platform(self):
            return "linux"

    else:

        def platform(self):
            return "other"

    class Middle:
        class Inner:
            deep = 1

            def reach(self):
                class Deeper:
                    pass

                return Deeper

    handler = lambda self: (result := 1)


def one(): pass; pass
def two(): return \
    2
class Three: a = 1; b = 2; c: int = 3


if True: one(); four = 4; two()
