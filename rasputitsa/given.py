"""Which options a command line names, told from those that have their default."""

from __future__ import annotations

import click
from click.core import ParameterSource


def given(*parameters: str) -> list[str]:
    """Return those parameters of the running command, by the names of its arguments, that were given a value."""
    source = click.get_current_context().get_parameter_source
    return [name for name in parameters if source(name) is not ParameterSource.DEFAULT]
