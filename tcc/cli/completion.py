"""`tcc completion SHELL`: a script that completes commands and options."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    r"""Print a completion script.

    \b
    bash:  eval "$(tcc completion bash)"
    zsh:   eval "$(tcc completion zsh)"
    fish:  tcc completion fish | source
    """
    root = ctx.find_root()
    program = root.info_name or "tcc"
    found = get_completion_class(shell)
    assert found is not None
    variable = f"_{program}_COMPLETE".replace("-", "_").upper()
    # The class runs bash to learn its version; the script itself is only text.
    script = found(root.command, {}, program, variable)
    click.echo(script.source_template % script.source_vars())
