"""Cython kernels over flat arrays: zones of control, reach, supply."""
