#!/usr/bin/env python3
"""Compares the locks of Sources with those that Docs/concurrency.md lists, and prints what differs.

    Scripts/checks/locks.py ROOT
"""

import pathlib
import re
import sys

TYPE = re.compile(r"\b(?:class|struct|enum|actor|extension)\s+([A-Z][A-Za-z.]*)")
LOCK = re.compile(r"\b(?:let|var)\s+(\w+)\s*(?::\s*Mutex<|=\s*Mutex(?:<|\())")


def locks(text):
    """Yields the locks of a file, as 'Type.name'."""
    types = []
    depth = 0
    for line in text.splitlines():
        code = re.sub(r"//.*", "", line)
        declared = TYPE.search(code)
        if declared and "{" in code[declared.start():]:
            types.append((declared.group(1).split(".")[-1], depth))
        lock = LOCK.search(code)
        if lock and types:
            yield f"{types[-1][0]}.{lock.group(1)}"
        depth += code.count("{") - code.count("}")
        while types and depth <= types[-1][1] and "}" in code:
            types.pop()


def names(text):
    """Returns what is between backticks and looks like 'Type.name'."""
    return {".".join(name.split(".")[-2:]) for name in re.findall(r"`([A-Z][\w.]*\.\w+)`", text)}


def main():
    root = pathlib.Path(sys.argv[1])
    page = root / "Docs/concurrency.md"
    text = page.read_text()
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    named, listed = names(text), names("\n".join(rows))
    found = {}
    for path in sorted((root / "Sources").rglob("*.swift")):
        for lock in locks(path.read_text()):
            found.setdefault(lock, path.relative_to(root))
    for lock, path in sorted(found.items()):
        if lock not in named:
            print(f"{path}: locks: {lock} is not in Docs/concurrency.md")
    for lock in sorted(listed - set(found)):
        print(f"Docs/concurrency.md: locks: there is no {lock}")


main()
