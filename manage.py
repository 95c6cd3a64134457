"""`python manage.py …` and `tht …` are the same program."""

from __future__ import annotations

from thoth.cli import main

if __name__ == "__main__":
    main()
