"""A tiny game of ambushes to test secrets with: hidden stacks, mines, camps, secret plans and a draw deck."""
