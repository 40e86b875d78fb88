"""The command line: one table of commands, each loaded when it is called.

Exit codes: those of the commands (`tcc COMMAND --help`); 2 for wrong usage (`plan`: 1);
70 for a fault of tcc itself; 130 after Ctrl-C; 141 when the reader of the output went away.
"""

import importlib
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from typing import Any, NamedTuple, NoReturn

import click

from tcc import __version__

INTERNAL_ERROR, INTERRUPTED, PIPE_CLOSED = 70, 130, 141


class Entry(NamedTuple):
    """Where a command lives, and what it does in a few words."""

    module: str
    summary: str
    attribute: str = "command"


COMMANDS: dict[str, Entry] = {
    "lint": Entry("lint", "check policies"),
    "fmt": Entry("fmt", "lay policies out in the one way"),
    "explain": Entry("explain", "print the page of a finding, a preset or a word"),
    "plan": Entry("plan", "compare a policy with what is there"),
    "apply": Entry("apply", "make a policy so, or restore what was there"),
    "confirm": Entry("confirm", "keep what `apply --confirm` did"),
    "rollback": Entry("rollback", "undo what `apply` did"),
    "remove": Entry("remove", "take away what a policy set up"),
    "status": Entry("status", "show live tins and flows"),
    "watch": Entry("watch", "apply again when links come and go"),
    "generate": Entry("generate", "write another system's configuration"),
    "import": Entry("import_", "make a policy of what is there"),
    "verify": Entry("verify", "run the objectives of a policy"),
    "report": Entry("report", "compare results on one page"),
    "experiment": Entry("experiment", "repeat a published experiment"),
    "set": Entry("set", "change one thing of a live link"),
    "sweep": Entry("sweep", "verify over a grid of parameters"),
    "tune": Entry("tune", "search parameters that meet the objectives"),
    "facts": Entry("facts", "record what shaping depends on, on this host"),
    "doctor": Entry("doctor", "look for what commonly goes wrong"),
    "schema": Entry("schema", "print the JSON Schema of policies"),
    "plugins": Entry("plugins", "list plugins and where they come from"),
    "lsp": Entry("lsp", "serve editors"),
    "completion": Entry("completion", "print a completion script for a shell"),
}
"""Every command of the design; those without a module yet are not offered."""

USAGE_IS_1 = frozenset({"plan"})
"""Commands whose exit code 2 means something else than wrong usage."""


class Commands(click.Group):
    """Finds commands in the table and imports a module only when its command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands that are there."""
        return [name for name, entry in COMMANDS.items() if find_spec(f"tcc.cli.{entry.module}")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None or find_spec(f"tcc.cli.{entry.module}") is None:
            return None
        module = importlib.import_module(f"tcc.cli.{entry.module}")
        found: click.Command = getattr(module, entry.attribute)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was perhaps meant."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            from tcc.syntax.suggestions import did_you_mean  # noqa: PLC0415

            near = did_you_mean(name, self.list_commands(ctx))
            hint = f" Did you mean `{near}`?" if near else ""
            ctx.fail(f"There is no command `{name}`.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        rows = [(name, COMMANDS[name].summary) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def engine_is_compiled() -> bool:
    """Whether the engine runs compiled; found out without importing it."""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "engine")
    return any(name.endswith(tuple(EXTENSION_SUFFIXES)) for name in os.listdir(folder))


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"tcc {__version__} (engine: {_engine()})")
        ctx.exit()


def _engine() -> str:
    return "compiled" if engine_is_compiled() else "interpreted"


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colours in what is printed; auto: on a terminal, unless NO_COLOR is set.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Print the version, and whether the engine is compiled.",
)  # fmt: skip
@click.pass_context
def cli(ctx: click.Context, color: str) -> None:
    """Say what a network should do; check it, predict it, apply it."""
    ctx.color = wants_color(color)


def wants_color(choice: str) -> bool | None:
    """Return True or False for colours always or never; None leaves it to the terminal."""
    if choice == "auto":
        return False if os.environ.get("NO_COLOR") else None
    return choice == "always"


def run(arguments: list[str], program: str) -> int:
    """Run one command line and return its exit code; no exception leaves this function."""
    try:
        code = _run(arguments, program)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes again at its end: let it write where nobody complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as problem:
        if os.environ.get("TCC_DEBUG"):
            raise
        print(
            f"{program}: internal error: {type(problem).__name__}: {problem}\n"
            "This is a fault of tcc; please report it, with what you did. "
            "TCC_DEBUG=1 shows where it happened.",
            file=sys.stderr,
        )
        return INTERNAL_ERROR


def _run(arguments: list[str], program: str) -> int:
    """Complete, or parse and call. Not `cli.main`, which would swallow a closed pipe."""
    variable = f"_{program}_COMPLETE".replace("-", "_").replace(".", "_").upper()
    if instruction := os.environ.get(variable):
        from click.shell_completion import shell_complete  # noqa: PLC0415  (for the shell alone)

        return shell_complete(cli, {}, program, variable, instruction)
    try:
        with cli.make_context(program, arguments) as context:
            result: Any = cli.invoke(context)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.UsageError as problem:
        _show(problem)
        command = problem.ctx.info_name if problem.ctx else None
        return 1 if command in USAGE_IS_1 else problem.exit_code
    except click.ClickException as problem:
        _show(problem)
        return problem.exit_code
    return result if isinstance(result, int) else 0


def _show(problem: click.ClickException) -> None:
    """Print a message, which may quote anybody's words, with nothing that acts on a terminal."""
    from tcc.cli import show  # noqa: PLC0415  (only when something is wrong)

    message = show.harmless(problem.format_message())
    if isinstance(problem, click.UsageError):
        click.UsageError(message, problem.ctx).show()
    else:
        click.ClickException(message).show()


def main() -> NoReturn:
    """Run the command line of this process, under whichever name it was called."""
    # Looking for pydantic's plugins reads the metadata of everything installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    program = os.path.basename(sys.argv[0]) or "tcc"
    if program == "__main__.py":
        program = "tcc"
    sys.exit(run(sys.argv[1:], program))
