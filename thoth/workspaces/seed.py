"""A workspace's first repository from a folder: `python -m thoth.workspaces.seed FOLDER TARGET`.

A process of its own, for those who start the product and may not import it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from thoth.lib.errors import Conflict
from thoth.workspaces.committing import Author, repository_create


def seed(folder: Path, target: Path) -> bool:
    """`target` is a bare repository that holds the files of `folder` as `evidence/`.

    False when it already had a commit: nothing of it is touched. Symbolic links are not followed.
    """
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
    try:
        repository_create(target, files, author=Author("Thoth"), message="Evidence of the example")
    except Conflict as error:
        if error.code != "repository_exists":
            raise
        return False
    return True


def main() -> None:
    """Do it, and say what was done."""
    made = seed(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.write(f"repository_seeded created={made}\n")


if __name__ == "__main__":
    main()
