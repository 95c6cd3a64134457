"""`python -m thoth …` is `tht …`."""

from __future__ import annotations

from thoth.cli import main

if __name__ == "__main__":
    main()
