"""The command group ``rasputitsa``."""

import click


@click.group()
def main() -> None:
    """Eastern Front board wargames over the network, every rule enforced."""
