"""The command line, one module a command."""

__version__ = "0.1.0"
