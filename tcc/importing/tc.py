"""tc's commands: in scripts, units and lists, and as `tc qdisc show` prints what is there."""

import os
import re
from collections.abc import Iterator
from typing import Final

from tcc.importing.found import Imported
from tcc.importing.links import links_of
from tcc.importing.machine import Machine
from tcc.importing.shell import Command, commands

TOOLS: Final = ("tc", "ip")
OBJECTS: Final = ("qdisc", "class", "filter")
VERBS: Final = ("add", "replace", "change", "del", "delete", "set", "link")
_HOOKS: Final = ("post-up", "up", "pre-up")
_DOWN: Final = ("down", "post-down", "pre-down")
_EXEC = re.compile(r"Exec(Start|StartPre|StartPost|Reload)=[-@:+!]*(.*)")
_STOP = re.compile(r"Exec(Stop|StopPost)=")


def read_commands(text: str) -> Imported:
    """Return what a machine has after all commands of a text have run."""
    machine = Machine()
    for command in _all(text):
        machine.run(command)
    return links_of(machine)


def _all(text: str) -> Iterator[Command]:
    for command in commands(text):
        plain = _plain(command)
        if plain is not None:
            yield plain


def _plain(command: Command) -> Command | None:
    """Return a command that begins with `tc` or `ip`; None for all others."""
    words = list(command.words)
    if words[0] in _DOWN or _STOP.match(words[0]):
        return None
    started = _EXEC.fullmatch(words[0])
    if started:
        words[0] = started[2]
    elif words[0] in _HOOKS:
        words = words[1:]
    while words and words[0] in ("sudo", "exec", "env", "busybox", "nice"):
        words = words[1:]
    if not words:
        return None
    if words[0] == "qdisc" and len(words) > 2 and words[2].endswith(":"):
        return _shown(words, command.line)
    if words[0] in OBJECTS and len(words) > 1 and words[1] in VERBS:
        return Command(command.line, ("tc", *words))
    tool = os.path.basename(words[0])
    if tool == "\0":  # a variable such as $TC, which nothing sets
        tool = "tc" if len(words) > 1 and words[1] in OBJECTS else "ip"
    if tool in TOOLS and len(words) > 2:
        return Command(command.line, (tool, *words[1:]))
    return None


def _shown(words: list[str], line: int) -> Command | None:
    """Return the command that would make what a line of `tc qdisc show` says."""
    kind, handle = words[1], words[2]
    rest = words[3:]
    if handle == "0:" or kind in ("noqueue", "mq"):
        return None
    where: list[str] = []
    while rest and rest[0] in ("dev", "root", "parent", "refcnt"):
        word = rest.pop(0)
        if word == "root":
            where.append(word)
        elif word == "refcnt":
            rest = rest[1:]
        elif rest:
            where += [word, rest.pop(0)]
    if "dev" not in where:
        return None
    rest = [word for word in rest if word != "[Unknown"]
    return Command(line, ("tc", "qdisc", "add", *where, "handle", handle, kind, *rest))
