"""Mutation tests of the pure rules; Scripts/mutate --help says how."""

import argparse
import concurrent.futures
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, "Scripts", "mutations.txt")
EQUIVALENT = os.path.join(ROOT, "Scripts", "mutations-equivalent.txt")
PRODUCT = "swift-rest-clientPackageTests"
WIDTH = ["--experimental-maximum-parallelization-width", "8"]

# Operators may consist of mathematical signs, so the number of a mutant is written into the operator that replaces
# another one: the precedence stays, and no operand has to be found.
DIGITS = [chr(0x2200 + digit) for digit in range(16)]


def sign(number):
    return "".join(DIGITS[(number >> shift) & 15] for shift in (8, 4, 0))


# Of each operator: the group of its precedence, and the functions that may replace it, with what each becomes.
COMPARE = "public func {op} <T: Comparable>(a: T, b: T) -> Bool {{ mutant({n}) ? a {new} b : a {old} b }}"
EQUATE = (
    "public func {op} <T: Equatable>(a: T, b: T) -> Bool {{ mutant({n}) ? a {new} b : a {old} b }}\n"
    "@_disfavoredOverload public func {op} <T>(a: T?, b: _OptionalNilComparisonType) -> Bool "
    "{{ mutant({n}) ? a {new} b : a {old} b }}"
)
LOGIC = (
    "public func {op} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool "
    "{{ mutant({n}) ? try a {new} b() : try a {old} b() }}"
)
SUM = "public func {op} <T: AdditiveArithmetic>(a: T, b: T) -> T {{ mutant({n}) ? a {new} b : a {old} b }}"
CHANGE = "public func {op} <T: {bound}>(a: inout T, b: T) {{ if mutant({n}) {{ a {new} b }} else {{ a {old} b }} }}"
PRODUCT_OF = (
    "public func {op} <T: Numeric>(a: T, b: T) -> T {{ mutant({n}) ? a + b : a * b }}\n"
    "public func {op} <T: BinaryInteger>(a: Duration, b: T) -> Duration {{ mutant({n}) ? a : a * b }}\n"
    "public func {op} (a: Duration, b: Double) -> Duration {{ mutant({n}) ? a : a * b }}"
)
QUOTIENT = (
    "public func {op} <T: BinaryInteger>(a: T, b: T) -> T {{ mutant({n}) ? a * b : a / b }}\n"
    "public func {op} <T: FloatingPoint>(a: T, b: T) -> T {{ mutant({n}) ? a * b : a / b }}\n"
    "public func {op} (a: Duration, b: Duration) -> Double {{ mutant({n}) ? b / a : a / b }}\n"
    "public func {op} <T: BinaryInteger>(a: Duration, b: T) -> Duration {{ mutant({n}) ? a * b : a / b }}"
)
REMAINDER = "public func {op} <T: BinaryInteger>(a: T, b: T) -> T {{ mutant({n}) ? a + b : a % b }}"

BINARY = {
    "<": ("ComparisonPrecedence", [("<=", COMPARE), (">=", COMPARE)]),
    "<=": ("ComparisonPrecedence", [("<", COMPARE), (">", COMPARE)]),
    ">": ("ComparisonPrecedence", [(">=", COMPARE), ("<=", COMPARE)]),
    ">=": ("ComparisonPrecedence", [(">", COMPARE), ("<", COMPARE)]),
    "==": ("ComparisonPrecedence", [("!=", EQUATE)]),
    "!=": ("ComparisonPrecedence", [("==", EQUATE)]),
    "&&": ("LogicalConjunctionPrecedence", [("||", LOGIC)]),
    "||": ("LogicalDisjunctionPrecedence", [("&&", LOGIC)]),
    "+": ("AdditionPrecedence", [("-", SUM)]),
    "-": ("AdditionPrecedence", [("+", SUM)]),
    "*": ("MultiplicationPrecedence", [("+", PRODUCT_OF)]),
    "/": ("MultiplicationPrecedence", [("*", QUOTIENT)]),
    "%": ("MultiplicationPrecedence", [("+", REMAINDER)]),
    "+=": ("AssignmentPrecedence", [("-=", CHANGE.replace("{bound}", "AdditiveArithmetic"))]),
    "-=": ("AssignmentPrecedence", [("+=", CHANGE.replace("{bound}", "AdditiveArithmetic"))]),
    "*=": ("AssignmentPrecedence", [("+=", CHANGE.replace("{bound}", "Numeric"))]),
}
PREFIX = {
    "negate": "prefix public func {op} (a: Bool) -> Bool {{ mutant({n}) != a }}",
    "keep": "prefix public func {op} (a: Bool) -> Bool {{ mutant({n}) == a }}",
    "integer": "prefix public func {op} <T: AdditiveArithmetic & ExpressibleByIntegerLiteral>(a: T) -> T "
    "{{ mutant({n}) ? a + 1 : a }}",
    "fraction": "prefix public func {op} <T: FloatingPoint & ExpressibleByFloatLiteral>(a: T) -> T "
    "{{ mutant({n}) ? a + a : a }}",
}
HELPER = """// SPDX-License-Identifier: MIT
import RestEssentials
private let selected = Int(ProcessInfo.processInfo.environment["MUTANT"] ?? "") ?? 0
@inline(never) func mutant(_ number: Int) -> Bool { selected == number }
"""
TRIMMED = """
package.targets.removeAll {{ $0.type == .test && ![{targets}].contains($0.name) }}
"""
BUILD = ["swift", "build", "-debug-info-format", "none"]
TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"""(?:\\.|(?!""").)*"""|"(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*")'
    r"|(?P<number>\b\d[\d_]*(?:\.\d[\d_]*)?(?:e-?\d+)?\b|\b0x[0-9A-Fa-f_]+\b)|(?P<word>[$#@]?[A-Za-z_]\w*|\$\d+|`\w+`)"
    r"|(?P<operator>[-+*/%<>=!&|^~?.]+)|(?P<space>\s+)|(?P<other>.)",
    re.S,
)


class Site:
    """One mutant: a place in a file, the text that replaces another one there, and the function it calls."""

    def __init__(self, rule, file, start, end, line, column, kind, old, new, template):
        self.rule, self.file, self.start, self.end, self.line, self.column = rule, file, start, end, line, column
        self.kind, self.old, self.new, self.template = kind, old, new, template
        self.number = 0
        self.name = ""

    @property
    def change(self):
        return f"{self.old} -> {self.new}"

    @property
    def key(self):
        return f"{self.file}:{self.line}:{self.column}: {self.change}"


class Built:
    """A mutant of a copy that was built before: its number there, whatever has become of the sources."""

    def __init__(self, number, rule, key, name):
        self.number, self.rule, self.key, self.name, self.file = int(number), rule, key, name, key.split(":")[0]


def give_names(sites, texts):
    """Names each mutant by what its line says, so that it keeps its name when lines are added above it."""
    seen = {}
    for site in sites:
        code = texts[site.file].split("\n")[site.line - 1].strip()
        name = f"{site.file}: {code}: {site.change}"
        seen[name] = seen.get(name, 0) + 1
        site.name = name if seen[name] == 1 else f"{name} ({seen[name]})"


def read_equivalents(sites):
    """The mutants that nothing can tell from the original, each with the reason."""
    names, found = {site.name for site in sites}, {}
    if not os.path.exists(EQUIVALENT):
        return found
    file = code = ""
    with open(EQUIVALENT, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            if not line.startswith(" "):
                file = text
            elif not line.startswith("        "):
                code = text
            else:
                change, _, reason = text.partition(": ")
                name = f"{file}: {code}: {change}"
                if name not in names:
                    raise SystemExit(f"mutate: mutations-equivalent.txt:{number}: there is no such mutant: {name}")
                if not reason:
                    raise SystemExit(f"mutate: mutations-equivalent.txt:{number}: a reason is missing")
                found[name] = reason
    return found


def read_results(folder):
    """How the mutants of earlier runs on this copy ended, the last ending of each."""
    path = os.path.join(folder, "results.txt")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as stream:
        return {name: ending for ending, name in (line.rstrip("\n").split("\t", 1) for line in stream)}


def tokens_of(text):
    found, line, line_start = [], 1, 0
    for match in TOKEN.finditer(text):
        kind, value = match.lastgroup, match.group()
        if kind not in ("space", "comment"):
            found.append((kind, value, match.start(), match.end(), line, match.start() - line_start + 1))
        newlines = value.count("\n")
        if newlines:
            line += newlines
            line_start = match.start() + value.rfind("\n") + 1
    return found


def clause_is_boolean(tokens, index):
    """True if a clause that begins here is one term: no operator, no binding, nothing that has to stand in front."""
    kind, value = tokens[index][:2]
    if kind not in ("word", "other") or value in ("let", "var", "case", "try", "await", "true", "false", "is", "{", "[", "."):
        return False
    if value.startswith("#") or value == ")":
        return False
    depth = 0
    for kind, value, *_ in tokens[index:]:
        if depth == 0 and (value in (",", "{", "}", "else", ")", "]", "&&", "||", "?", ":", ";")):
            return True
        if depth == 0 and (value in ("is", "as", "in", "let", "return", "case", "var", "for", "if", "func", "init")):
            return False
        if depth == 0 and kind == "operator" and value not in (".", "!", "?."):
            return False
        depth += value in ("(", "[")
        depth -= value in (")", "]")
    return False


def sites_of(rule, file):
    with open(os.path.join(ROOT, file), encoding="utf-8") as stream:
        text = stream.read()
    tokens = tokens_of(text)
    sites, skipped, conditions = [], -1, False
    declared = -1

    def add(token, kind, old, new, template, start=None, end=None):
        at = token[2] if start is None else start
        sites.append(Site(rule, file, at, token[3] if end is None else end, token[4], token[5], kind, old, new, template))

    for index, token in enumerate(tokens):
        kind, value, start, end, line, _ = token
        previous = tokens[index - 1] if index else ("", "", 0, 0, 0, 0)
        following = tokens[index + 1] if index + 1 < len(tokens) else ("", "", 0, 0, 0, 0)
        if kind == "word" and value in ("func", "extension", "init", "struct", "enum", "subscript", "protocol", "@available"):
            if previous[1] != "." and value != "init" or following[1] in ("(", "<"):
                declared = index
        if value == "{":
            declared, skipped = -1, -1
        # The clause 'where' of a declaration names types; an operator that is declared has no operands.
        if value == "where" and declared >= 0:
            skipped = index
        if line and text.rfind("\n", 0, start) >= 0:
            head = text[text.rfind("\n", 0, start) + 1 : start].lstrip()
            if head.startswith("#") or head.startswith("@"):
                continue
        if skipped >= 0 or previous[1] == "func" or value == "#":
            continue
        spaced = text[start - 1 : start].isspace() and text[end : end + 1].isspace()
        if kind == "operator" and spaced and value in BINARY:
            for new, template in BINARY[value][1]:
                add(token, "binary", value, new, template)
        elif kind == "operator" and value == "!" and not text[start - 1 : start].isalnum() and not text[end : end + 1].isspace():
            if text[start - 1 : start] not in ")]":
                add(token, "prefix", "!", "", PREFIX["keep"])
        elif kind == "number" and text[start - 1 : start] not in "-.+$" or kind == "number" and previous[1] in ("...", "..<"):
            # Twice zero would be no change.
            fraction = not value.startswith("0x") and ("." in value or "e" in value) and float(value.replace("_", "")) != 0
            new = f"{value} * 2" if fraction else f"{value} + 1"
            add(token, "literal", value, new, PREFIX["fraction" if fraction else "integer"])
        elif kind == "word" and value in ("true", "false"):
            add(token, "literal", value, "false" if value == "true" else "true", PREFIX["negate"])
        elif kind == "word" and value in ("min", "max") and following[1] == "(" and following[2] == end and previous[1] != ".":
            other = "max" if value == "min" else "min"
            add(token, "call", value, other, (value, other))
        if value in ("if", "guard", "while"):
            conditions = True
        if value in ("{", "else"):
            conditions = False
        depth_zero = value in ("if", "guard", "while", "&&", "||") or value == "," and conditions and text[:end].count(
            "(", text.rfind("\n", 0, start)
        ) == text[:end].count(")", text.rfind("\n", 0, start))
        if depth_zero and index + 1 < len(tokens) and clause_is_boolean(tokens, index + 1):
            add(following, "insert", following[1], "!" + following[1], PREFIX["negate"], following[2], following[2])
    return sites


def mutated(text, sites):
    """The text with all these mutants in it, and the declarations that they need."""
    pieces, declarations, at = [], [], 0
    places = {}
    for site in sites:
        places.setdefault((site.start, site.end), []).append(site)
    for (start, end), here in sorted(places.items()):
        pieces.append(text[at:start])
        at = end
        first, original = here[0], text[start:end]
        if first.kind == "binary":
            # One operator per place; its mutants differ in their numbers.
            op = first.old + sign(first.number)
            declarations.append(f"infix operator {op} : {BINARY[first.old][0]}")
            declarations += declared_binary(op, here)
            pieces.append(op)
        elif first.kind == "call":
            name = f"mutated{first.number}"
            old, new = first.template
            declarations.append(
                f"public func {name}<T: Comparable>(_ a: T, _ b: T) -> T {{ mutant({first.number}) ? {new}(a, b) : {old}(a, b) }}\n"
                f"public func {name}<T: Comparable>(_ a: T, _ b: T, _ c: T) -> T "
                f"{{ mutant({first.number}) ? {new}(a, b, c) : {old}(a, b, c) }}"
            )
            pieces.append(name)
        else:
            op = ("!" if first.kind in ("prefix", "insert") else "^") + sign(first.number)
            declarations.append(f"prefix operator {op}")
            declarations.append(first.template.format(op=op, n=first.number))
            pieces.append(f"({op}{original})" if first.kind == "literal" else op)
    pieces.append(text[at:])
    return "".join(pieces), declarations


def declared_binary(op, sites):
    text = sites[0].template.format(op=op, n=sites[0].number, old=sites[0].old, new=sites[0].new)
    for site in sites[1:]:
        # The second mutant of a place is asked for when the first is not it.
        text = text.replace(
            f"mutant({sites[0].number}) ?",
            f"mutant({site.number}) ? a {site.new} b : mutant({sites[0].number}) ?",
        )
    return [text]


def read_table():
    rows = []
    with open(TABLE, encoding="utf-8") as stream:
        for line in stream:
            if line.strip() and not line.startswith("#"):
                rule, file, tests = line.split(None, 2)
                rows.append((rule, file, tuple(step.strip() for step in tests.split(">>"))))
    return rows


def write(path, text):
    """Writes a file if it differs, so that a build sees only what changed."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            if stream.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def needed_tests(names, patterns):
    """The files of the tests that have to notice, with what they use, and the test targets that they are in.

    Other suites are neither compiled nor looked through at the beginning of each run.
    """
    modifiers = r"(?:(?:fileprivate|private|package|final|indirect|@\w+(?:\([^\n]*\))?) )*"
    declared = re.compile(rf"^{modifiers}(?:struct|class|enum|actor|func|protocol|typealias) (\w+)", re.M)
    extended = re.compile(rf"^{modifiers}extension (?:\w+\.)*(\w+)", re.M)
    suites, lent, used = set(), {}, {}
    for name in names:
        if name.startswith("Tests/") and name.endswith(".swift"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as stream:
                text = stream.read()
            lent[name], used[name] = set(declared.findall(text)), set(re.findall(r"\w+", text))
            if "@Test" in text:
                suites.add(name)
            else:
                lent[name] |= set(extended.findall(text))
    folder = {name: name.split("/")[1] for name in lent}
    folders = {folder[name] for name in suites}
    # A file that declares nothing imports something for all others.
    kept = {name for name in lent if folder[name] not in folders or not lent[name]}
    kept |= {
        name for name in suites
        if any(re.search(pattern, f"{folder[name]}.{suite}/") for pattern in patterns for suite in lent[name])
    }
    targets = {folder[name] for name in kept & suites}
    # What lends its types, or extends those that are used, stays too.
    while True:
        words = set().union(*(used[name] for name in kept if folder[name] in targets))
        more = {name for name in lent if name not in kept and folder[name] in targets and lent[name] & words}
        if not more:
            return kept, targets
        kept |= more


def copy_package(folder, patterns):
    """Brings the copy of the package up to date, but for what is in its .build; leaves out other tests."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and os.path.isfile(os.path.join(ROOT, name))]
    tests, targets = needed_tests(names, patterns)
    names = [name for name in names if not (name.startswith("Tests/") and name.endswith(".swift")) or name in tests]
    trimmed = TRIMMED.format(targets=", ".join(f'"{target}"' for target in sorted(targets)))
    for name in names:
        source, target = os.path.join(ROOT, name), os.path.join(folder, name)
        with open(source, "rb") as stream:
            new = stream.read()
        if name == "Package.swift":
            new += trimmed.encode()
        if os.path.exists(target):
            with open(target, "rb") as stream:
                if stream.read() == new:
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)
        if name == "Package.swift":
            with open(target, "wb") as stream:
                stream.write(new)
    known = set(names)
    for top in ("Sources", "Tests"):
        for path, _, files in os.walk(os.path.join(folder, top)):
            for file in files:
                name = os.path.relpath(os.path.join(path, file), folder)
                if name not in known:
                    os.remove(os.path.join(folder, name))


def place_mutants(folder, sites, originals):
    for target in {file.split("/")[1] for file in originals}:
        declarations = []
        for file, text in originals.items():
            if file.split("/")[1] != target:
                continue
            here = [site for site in sites if site.file == file]
            changed, needed = mutated(text, here)
            write(os.path.join(folder, file), changed)
            declarations += needed
        helper = HELPER + "\n".join(declarations) + "\n"
        write(os.path.join(folder, "Sources", target, "SelectedMutant.swift"), helper)


def remembered(folder, originals):
    """The mutants that did not compile when the files were as they are now, so that nobody tries them again."""
    path = os.path.join(folder, "left-out.txt")
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as stream:
        lines = [line.rstrip("\n").split("\t") for line in stream]
    return {key for digest, key in lines if digest == digest_of(originals.get(key.split(":")[0], ""))}


def remember(folder, originals, sites):
    with open(os.path.join(folder, "left-out.txt"), "a", encoding="utf-8") as stream:
        for site in sites:
            stream.write(f"{digest_of(originals[site.file])}\t{site.key}\n")


def digest_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def build(folder, sites, originals):
    """Builds the copy; mutants that do not compile are dropped, until the rest does. Returns those that are left."""
    known = remembered(folder, originals)
    sites = [site for site in sites if site.key not in known]
    for _ in range(12):
        place_mutants(folder, sites, originals)
        command = [*BUILD, "--package-path", folder, "--product", PRODUCT]
        say(f"building {len(sites)} mutants")
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode == 0:
            return sites
        output = result.stdout + result.stderr
        dropped = set()
        for path, line, column in re.findall(r"^(\S+?\.swift):(\d+):(\d+): error:", output, re.M):
            at, column = int(line), int(column)
            # A note of the compiler may stand some lines from the operator that it means.
            if "SelectedMutant" in path:
                with open(path, encoding="utf-8") as stream:
                    numbers = {int(n) for n in re.findall(r"mutant\((\d+)\)", stream.read().split("\n")[at - 1])}
                dropped |= {site for site in sites if site.number in numbers}
                continue
            near = [site for site in sites if path.endswith("/" + site.file)]
            for reach in (0, 1, 3, 8):
                hit = {site for site in near if abs(site.line - at) <= reach}
                if hit:
                    dropped |= hit
                    break
        if not dropped:
            sys.stderr.write(output[-6000:])
            raise SystemExit("mutate: the copy does not build, and no mutant is to blame")
        for message in sorted(set(re.findall(r"^\S+?\.swift:\d+:\d+: error:.*$", output, re.M)))[:200]:
            print("dropped: " + message.replace(folder + "/", ""), flush=True)
        remember(folder, originals, dropped)
        sites = [site for site in sites if site not in dropped]
    raise SystemExit("mutate: the copy does not build after 12 attempts")


def say(text):
    print(f"mutate: {text}", file=sys.stderr, flush=True)


def run(binary, folder, number, tests, limit):
    """Runs the tests on one mutant. Returns how it ended: survived, failed, crashed or hung."""
    environment = dict(os.environ, MUTANT=str(number))
    command = [binary, "--testing-library", "swift-testing", *WIDTH, "--filter", tests]
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        output = b""
        return "hung", ""
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    text = output.decode(errors="replace")
    if process.returncode == 0:
        return ("survived" if re.search(r"Test run with [1-9]\d* test", text) else "no tests"), text
    return ("crashed" if process.returncode < 0 else "failed"), text


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--rule", action="append", default=[])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--folder", default=os.path.join(ROOT, ".build", "mutation"))
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--least", type=int, default=90)
    parser.add_argument("--built", action="store_true")
    parser.add_argument("--remaining", action="store_true")
    options = parser.parse_args()

    rows = read_table()
    sites = []
    for rule, file, _ in rows:
        sites += sites_of(rule, file)
    # The numbers of all mutants are given before any is chosen: one mutant has the same number in every run.
    for number, site in enumerate(sites, 1):
        site.number = number
    if len(sites) > 4095:
        raise SystemExit("mutate: more mutants than three digits can number")
    originals = {}
    for _, file, _ in rows:
        with open(os.path.join(ROOT, file), encoding="utf-8") as stream:
            originals[file] = stream.read()
    give_names(sites, originals)
    equivalents = read_equivalents(sites)

    def chosen(found):
        names = [os.path.basename(name) for name in options.file]
        found = [
            site for site in found
            if (not names or os.path.basename(site.file) in names) and (not options.rule or site.rule in options.rule)
        ]
        if options.sample and options.sample < len(found):
            found = sorted(random.Random(options.seed).sample(found, options.sample), key=lambda site: site.number)
        return found

    if options.list:
        for site in chosen(sites):
            mark = f"\tequivalent: {equivalents[site.name]}" if site.name in equivalents else ""
            print(f"{site.rule}\t{site.key}{mark}")
        print(f"{len(chosen(sites))} mutants in {len({site.file for site in chosen(sites)})} files")
        return

    folder = os.path.abspath(options.folder)
    os.makedirs(folder, exist_ok=True)
    tests_of = {file: tests for _, file, tests in rows}
    if options.built:
        with open(os.path.join(folder, "mutants.txt"), encoding="utf-8") as stream:
            sites = [Built(*line.rstrip("\n").split("\t")) for line in stream]
    else:
        if folder == ROOT:
            raise SystemExit("mutate: the copy cannot lie where the package is")
        copy_package(folder, sorted({step for site in chosen(sites) for step in tests_of[site.file]}))
        before = len(sites)
        sites = build(folder, sites, originals)
        say(f"{before - len(sites)} of {before} mutants do not compile and are left out")
        with open(os.path.join(folder, "mutants.txt"), "w", encoding="utf-8") as stream:
            stream.writelines(f"{site.number}\t{site.rule}\t{site.key}\t{site.name}\n" for site in sites)
    shown = subprocess.run(
        ["swift", "build", "--package-path", folder, "--show-bin-path"], check=True, capture_output=True, text=True
    )
    binary = os.path.join(shown.stdout.strip(), PRODUCT + ".xctest")

    limits = {}
    work, earlier = chosen(sites), {}
    if options.remaining:
        results = read_results(folder)
        # A run that took too long may say more of a busy machine than of its mutant.
        again = ("survived", "hung")
        earlier = {site: results[site.name] for site in work if results.get(site.name, "hung") not in again}
        work = [site for site in work if site not in earlier]
    for tests in sorted({step for site in work for step in tests_of[site.file]}):
        began = time.monotonic()
        ending, output = run(binary, folder, 0, tests, 600)
        if ending != "survived":
            sys.stderr.write(output[-4000:])
            raise SystemExit(f"mutate: without a mutant, '{tests}' ended so: {ending}")
        limits[tests] = 20 + 8 * (time.monotonic() - began)
        say(f"{time.monotonic() - began:.1f} s without a mutant: {tests}")

    def ended(site):
        ending = "survived"
        for tests in tests_of[site.file]:
            if ending == "survived":
                ending = run(binary, folder, site.number, tests, limits[tests])[0]
        return site, ending

    endings = dict(earlier)
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        with open(os.path.join(folder, "results.txt"), "a", encoding="utf-8") as results:
            for site, ending in pool.map(ended, work):
                endings[site] = ending
                results.write(f"{ending}\t{site.name}\n")
                results.flush()
                word = f"caught ({ending})"
                if ending == "survived":
                    word = "equivalent" if site.name in equivalents else "SURVIVED"
                print(f"{word}\t{site.key}", flush=True)
    finally:
        # Ended from outside, it begins no more runs.
        pool.shutdown(wait=False, cancel_futures=True)
    report(endings, equivalents, len(earlier), options.least)


def report(endings, equivalents, earlier, least):
    """Prints the share of each rule; ends with an error if one is too small, or if an equivalent mutant was caught."""
    if earlier:
        print(f"{earlier} of these were caught by earlier runs on this copy, with the tests of then.")
    print(f"{'rule':12} {'mutants':>8} {'equivalent':>11} {'caught':>8} {'share':>7}")
    poor = []
    for rule in [*dict.fromkeys(site.rule for site in endings), "all"]:
        of_rule = {site: ending for site, ending in endings.items() if rule in (site.rule, "all")}
        caught = sum(ending != "survived" for ending in of_rule.values())
        same = sum(ending == "survived" and site.name in equivalents for site, ending in of_rule.items())
        share = 100 * caught / max(1, len(of_rule) - same)
        print(f"{rule:12} {len(of_rule):8} {same:11} {caught:8} {share:6.1f}%")
        if share < least:
            poor.append(rule)
    wrong = [site.key for site, ending in endings.items() if ending != "survived" and site.name in equivalents]
    if wrong:
        raise SystemExit("mutate: mutations-equivalent.txt lists mutants that are caught: " + ", ".join(wrong))
    if poor:
        raise SystemExit(f"mutate: less than {least} % of the mutants were caught: {', '.join(poor)}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
