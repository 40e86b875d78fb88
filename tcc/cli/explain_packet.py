"""`tcc explain packet`: which tier and tin a packet lands in, and why."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from tcc.cli import options, policies

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    from tcc.facts import Facts
    from tcc.lower import LoweredQdisc
    from tcc.lower.packet import Landing
    from tcc.passes import Given

FAILED = 1


def _address(
    _: click.Context, __: click.Parameter, text: str | None
) -> "IPv4Address | IPv6Address | None":
    from tcc.lower.packet import read_address  # noqa: PLC0415

    if text is None:
        return None
    try:
        return read_address(text)
    except ValueError as problem:
        raise click.BadParameter(f"{text!r} is no IP address") from problem


def _dscp(_: click.Context, __: click.Parameter, text: str) -> int:
    from tcc.dscp import NAMES  # noqa: PLC0415

    if text.lower() in NAMES:
        return NAMES[text.lower()]
    if text.isascii() and text.isdecimal() and len(text) <= 3 and int(text) < 64:
        return int(text)
    raise click.BadParameter(f"{text!r} is no DSCP; write such as ef, cs1, 46")


def _protocol(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    from tcc.language import PROTOCOLS  # noqa: PLC0415

    if text is None:
        return None
    if text.lower() in PROTOCOLS:
        return PROTOCOLS[text.lower()]
    if text.isascii() and text.isdecimal() and len(text) <= 3 and int(text) < 256:
        return int(text)
    raise click.BadParameter(f"{text!r} is no IP protocol; write its name or number")


def _mark(_: click.Context, __: click.Parameter, text: str) -> int:
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value < 2**32:
        raise click.BadParameter(f"{text!r} is no mark of 32 bits, such as 0x10")
    return value


PORT = click.IntRange(0, 65535)


@click.command(name="tcc explain packet")
@click.argument("file")
@click.option("--to", "remote", metavar="ADDRESS", callback=_address, help="The other end.")
@click.option("--from", "local", metavar="ADDRESS", callback=_address,
              help="The host behind the link, before its address is translated.")  # fmt: skip
@click.option("--udp", metavar="PORT", type=PORT, help="UDP to this port of the other end.")
@click.option("--tcp", metavar="PORT", type=PORT, help="TCP to this port of the other end.")
@click.option("--protocol", metavar="NAME", callback=_protocol, help="Another protocol.")
@click.option("--local-port", metavar="PORT", type=PORT, help="The port of the host.")
@click.option("--dscp", default="cs0", metavar="DSCP", callback=_dscp, help="What the sender set.")
@click.option("--mark", default="0", metavar="MARK", callback=_mark, help="Its packet mark.")
@click.option("--device", metavar="IF", help="The other interface that it passes.")
@click.option("--link", metavar="LINK", help="Only this link.")
@options.values
@options.facts
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(  # noqa: PLR0913
    ctx: click.Context,
    *,
    file: str,
    remote: "IPv4Address | IPv6Address | None",
    local: "IPv4Address | IPv6Address | None",
    udp: int | None,
    tcp: int | None,
    protocol: int | None,
    local_port: int | None,
    dscp: int,
    mark: int,
    device: str | None,
    link: str | None,
    given: "Given",
    facts: "Facts | None",
    as_json: bool,
) -> int:
    """Say which tier and tin a packet lands in, in each direction, and why.

    The packet is described from the hosts' side: `--to` is the other end, on the way in as on
    the way out. Such as:

        tcc explain packet --to 203.0.113.9 --udp 3478 home.tcc

    Exit codes: 0 said; 1 the policy has errors; 2 wrong usage.
    """
    from tcc.lower.packet import Packet, landings  # noqa: PLC0415

    if udp is not None and tcp is not None:
        raise click.UsageError("a packet is UDP or TCP: give one of them")
    ported = {17: udp, 6: tcp}
    for number, port in ported.items():
        if port is not None:
            protocol = number
    lowered = _lowered(ctx, file, given, facts)
    if lowered is None:
        return FAILED
    remote_port = udp if udp is not None else tcp
    packet = Packet(local, remote, protocol, local_port, remote_port, dscp, mark, device)
    found = [one for one in landings(lowered, packet) if link in {None, one.link}]
    if not found:
        raise options.Failure(f"no link {f'is called {link}' if link else 'shapes anything'}")
    click.echo(_json(found) if as_json else _text(found), nl=False)
    return 0


def _lowered(
    ctx: click.Context, file: str, given: "Given", facts: "Facts | None"
) -> "Sequence[LoweredQdisc] | None":
    """Return the policy as the kernel would have it; None when errors were shown instead."""
    from tcc.cli import show  # noqa: PLC0415
    from tcc.diagnostics import Severity, has_errors  # noqa: PLC0415
    from tcc.lower.kernel import lower_for_kernel  # noqa: PLC0415

    built = policies.load(file, given, complete=True)
    if built.policy is None or has_errors(built.found):
        show.findings(built.found, built.sources, color=ctx.color)
        return None
    wanted = lower_for_kernel(built.policy, facts, built.spans)
    errors = [one for one in wanted.found if one.severity is Severity.ERROR]
    if errors:
        show.findings(errors, built.sources, color=ctx.color)
        return None
    return wanted.lowered


def _text(found: "Sequence[Landing]") -> str:
    from tcc.dscp import name_of  # noqa: PLC0415

    blocks = []
    for one in found:
        where = f"{one.link} {one.direction} ({one.device}, {one.kind})"
        tin = f"tin {one.tin}, as DSCP {name_of(one.dscp).upper()}" if one.tin else "no tin"
        tier = f"tier {one.tier}, " if one.tier else ""
        blocks.append("\n".join([f"{where}: {tier}{tin}", *(f"  {why}" for why in one.why)]))
    return "\n".join(blocks) + "\n"


def _json(found: "Sequence[Landing]") -> str:
    return json.dumps({"version": 1, "landings": [asdict(one) for one in found]}, indent=2) + "\n"
