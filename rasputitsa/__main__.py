"""``python -m rasputitsa``."""

import sys

try:
    from rasputitsa.main import main
except KeyboardInterrupt:  # while it was still loading
    sys.exit(130)

main()
