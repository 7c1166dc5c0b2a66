"""``python -m rasputitsa``."""

from rasputitsa.main import main

main()
