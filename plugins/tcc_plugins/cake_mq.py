"""`cake_mq`: one CAKE on every transmit queue, which share one rate.

The options, the attributes and the words are CAKE's. The queues are shaped together (each
looks every 200 us at how many others are busy and takes its share), but everything else
is each queue's own: memory, tins, and fairness between the flows that land in it.

Sources: cake_mq_init(), cake_mq_change() and cake_configure_rates() in net/sched/sch_cake.c.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tcc.diagnostics import Diagnostic, error, note, warning
from tcc.ir import Options, Shaping
from tcc.lower.draft import place
from tcc.lower.ingress import ifb_queues
from tcc.plugin import Child, Difference, Lowering, Wish
from tcc_plugins.cake import WORDS, Cake, CakeOptions, CakeSettings, check_shaper, config_of

if TYPE_CHECKING:
    from tcc.engine.cake.mq import CakeMq as Model
    from tcc.engine.scene import Scene

FLOW_BLIND = 0
FLOWS = 4
BESTEFFORT = 3
PRIORITY = "net.ipv4.ip_forward_update_priority"


class CakeMq:
    """One CAKE per transmit queue of a device."""

    kind = "cake_mq"
    options_model = CakeOptions
    words = WORDS
    inner_only = False
    changes_in_place = True
    alters = Cake.alters

    def lower(self, wish: Wish, options: Options | None) -> Lowering:
        """Turn a wish into CakeSettings, as for `cake`."""
        return Cake().lower(wish, options)

    def check(self, settings: CakeSettings, wish: Wish) -> Iterator[Diagnostic]:
        """Yield what the kernel refuses, and what several queues change.

        `cake-mq-autorate`, `cake-mq-bounds`, `cake-mq-ingress`, `cake-mq-one-queue`,
        `cake-mq-memory`, `cake-mq-fairness`, `cake-mq-priority`, and those of `check_shaper`.
        """
        yield from check_shaper(settings, wish)
        yield from _refused(settings, wish)
        yield from _each_queue(settings, wish)
        if settings.diffserv != BESTEFFORT and wish.direction == "egress":
            yield from _priority(wish)

    def netlink(self, settings: CakeSettings) -> bytes:
        """Return the payload of TCA_OPTIONS, every attribute included."""
        return Cake().netlink(settings)

    def read(self, payload: bytes) -> CakeSettings:
        """Return the settings of a dump; raises DecodeError for malformed bytes."""
        return Cake().read(payload)

    def differences(self, wanted: CakeSettings, observed: CakeSettings) -> Sequence[Difference]:
        """Compare what the kernel would dump of each."""
        return Cake().differences(wanted, observed)

    def command(self, settings: CakeSettings) -> Sequence[str]:
        """Return tc's words, for a fresh qdisc."""
        return Cake().command(settings)

    def children(self, settings: CakeSettings) -> Sequence[Child]:
        """Return nothing: the kernel makes the queues' CAKEs and lets nobody change them."""
        return ()

    def altered(self, settings: CakeSettings, shaping: Shaping, frame: int) -> CakeSettings:
        """Return `settings` with the one clause of `shaping`; raises CannotSetError."""
        return Cake().altered(settings, shaping, frame)

    def model(self, settings: CakeSettings, scene: "Scene") -> "Model":
        """Return the engine's cake_mq with these settings."""
        from tcc.engine.cake.mq import CakeMq as Model  # noqa: PLC0415  (for simulations only)

        config = config_of(settings, scene)
        return Model(scene.pool, scene.chance, config, scene.queues, scene.max_frame)


def _refused(settings: CakeSettings, wish: Wish) -> Iterator[Diagnostic]:
    if settings.autorate:
        yield error(
            "cake-mq-autorate",
            wish.at_option("autorate_ingress"),
            "cake_mq cannot estimate the rate: autorate-ingress is refused",
            "each queue would see only its own part of the traffic",
            "use `qdisc cake`",
        )
    if settings.moves:
        yield wish.cannot(
            "bandwidth",
            "cake-mq-bounds",
            "cake_mq has no rate that an autorate daemon can move",
            "the daemons change a qdisc called cake, which would replace cake_mq by it",
            "use `qdisc cake`, or give one rate",
        )
    if wish.direction == "ingress":
        if wish.facts is None or wish.device.rx_queues < 2:
            yield _one_by_one(wish)
    elif wish.facts is not None and wish.device.tx_queues < 2:
        yield error(
            "cake-mq-one-queue",
            wish.at("qdisc"),
            f"{wish.device.name} has one transmit queue and cake_mq needs several",
            "the kernel refuses it with no more than `Operation not supported`",
            "use `qdisc cake`, or `qdisc auto`",
        )


def _one_by_one(wish: Wish) -> Diagnostic:
    known = wish.facts is not None
    brings = f"{wish.device.name} has one receive queue" if known else "many devices have one"
    return warning(
        "cake-mq-ingress",
        wish.at("qdisc"),
        "cake_mq shapes what comes in on as many processors as bring it in",
        f"{brings}: then one processor does all the work, and each queue's fairness is its own",
        "use `qdisc cake` for ingress",
    )


def _each_queue(settings: CakeSettings, wish: Wish) -> Iterator[Diagnostic]:
    queues = 0
    if wish.facts is not None:
        inward = wish.direction == "ingress"
        queues = ifb_queues(wish.device) if inward else wish.device.tx_queues
    times = f"{queues} times" if queues else "as many times as there are queues"
    if settings.memory:
        yield note(
            "cake-mq-memory",
            place(wish, "memory", "memlimit"),
            f"each queue may use {settings.memory}B, so all of them {times} that",
        )
    if settings.flow_mode != FLOW_BLIND and wish.shaping.fairness is not None:
        say = note if settings.flow_mode == FLOWS else warning
        yield say(
            "cake-mq-fairness",
            wish.at("fairness"),
            "cake_mq is fair inside each queue, not between the queues",
            "the driver or a hash chooses the queue of a flow; a host whose flows are in 4 queues "
            "gets up to 4 shares",
        )


def _priority(wish: Wish) -> Iterator[Diagnostic]:
    """Yield `cake-mq-priority`: a warning where facts show the trap, a note where unknown.

    The CAKEs of the queues have the handle 0, so that a plain skb priority of 1 to 8 looks
    like an order for a tin, and the kernel derives that priority from the TOS of IPv4.
    """
    sysctl = wish.facts.sysctls.get(PRIORITY) if wish.facts is not None else None
    role = wish.link.role
    if sysctl == "0" and role is not None and role.kind == "router":
        return
    say = note if sysctl is None else warning
    yield say(
        "cake-mq-priority",
        wish.at("tiers"),
        "cake_mq puts some IPv4 packets in another tin than their DSCP says",
        "their priority, which the kernel takes from the TOS byte, comes before the DSCP: in "
        "diffserv4 AF11, 21, 31, 41 end up in Best Effort and AF13, 23, 33, 43 in Voice",
        f"for forwarded packets `sysctl {PRIORITY}=0`; for this machine's own, a mark mask "
        "or `skbedit priority 0:0` on egress",
    )
