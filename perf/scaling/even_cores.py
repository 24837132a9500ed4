"""Lets processes that stand for equal nodes share the cores of one machine evenly while they run.

    python3 even_cores.py WORD COUNT

Waits for COUNT processes with WORD among their arguments, then deals them out to the cores anew ten
times a second, each to every core and beside every other in turn, until one ends. Left alone, those
on a core that has less time fall behind for seconds, and the others wait for them: a skew that nodes
with cores of their own do not have.
"""

import os
import pathlib
import sys
import time

PERIOD_S = 0.1
PATIENCE_S = 60


def running(word):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:  # it ended meanwhile
            continue
        if word.encode() in arguments and b"oida" in arguments[0]:
            found.append(int(entry.name))
    return sorted(found)


def deals(processes, cores):
    """Orders of the processes such that dealing them out by turns pairs each with each other."""
    first, *others = processes
    while True:
        for shift in range(max(1, len(others))):
            order = [first, *others[shift:], *others[:shift]]
            for turn in range(len(cores)):
                yield order, cores[turn:] + cores[:turn]


def main():
    word, count = sys.argv[1], int(sys.argv[2])
    until = time.monotonic() + PATIENCE_S
    while len(processes := running(word)) < count:
        if time.monotonic() > until:
            sys.exit(f"even_cores: no {count} processes with {word}")
        time.sleep(PERIOD_S)
    for order, cores in deals(processes, sorted(os.sched_getaffinity(0))):
        try:
            for place, process in enumerate(order):
                os.sched_setaffinity(process, {cores[place * len(cores) // count]})
        except ProcessLookupError:
            return
        time.sleep(PERIOD_S)


if __name__ == "__main__":
    main()
