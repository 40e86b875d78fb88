"""Parameters without a value: fine for checking a policy, not for using it."""

from dataclasses import replace

from tcc.diagnostics import Diagnostic, Severity
from tcc.passes.built import Built


def require_values(built: Built) -> Built:
    """Make parameters without a value one error, at the first, that names them all."""
    if not built.unset:
        return built
    first, *others = built.unset
    names = ", ".join(f"`{definition.name}`" for definition in built.unset)
    settings = " ".join(f"--set {definition.name}=..." for definition in built.unset)
    stop = Diagnostic(
        "param-unset",
        Severity.ERROR,
        f"{names} {'has' if not others else 'have'} no value",
        first.span,
        hints=(f"give it: {settings}", "or: --vars FILE.yaml"),
        related=tuple((f"`{other.name}` is declared here", other.span) for other in others),
    )
    return replace(built, policy=None, found=(*built.found, stop))
