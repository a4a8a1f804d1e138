"""Prints the async functions of a program with the size of what each takes while it is suspended, the largest first.

frames.py PROGRAM LEAST TEXT: only sizes of at least LEAST bytes, and only names that contain TEXT.
"""

import re
import struct
import subprocess
import sys


def sections(program):
    """Returns the start, the size and the place in the file of each section that is in the file."""
    listing = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout
    pattern = re.compile(r"\s*\[\s*\d+\]\s+(\S+)\s+(\S+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)")
    matches = [match for match in map(pattern.match, listing.splitlines()) if match and match.group(2) != "NOBITS"]
    return [(int(match.group(3), 16), int(match.group(5), 16), int(match.group(4), 16)) for match in matches]


def main():
    program, least, text = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    parts = sections(program)
    with open(program, "rb") as file:
        content = file.read()
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    found = []
    for line in symbols.splitlines():
        # An "async function pointer": where the code is, relative to itself, and the size, each of four bytes.
        words = line.split()
        if len(words) != 3 or not words[2].endswith("Tu") or text not in words[2]:
            continue
        address = int(words[0], 16)
        for start, size, offset in parts:
            if start <= address < start + size:
                bytes_held = struct.unpack_from("<iI", content, offset + address - start)[1]
                if bytes_held >= least:
                    found.append((bytes_held, words[2]))
                break
    for bytes_held, name in sorted(found, reverse=True):
        print(f"{bytes_held:8} {name}")


main()
