"""`python -m voiced`: the same as the `voiced` command."""

import sys

from voiced.cli.main import main

sys.exit(main())
