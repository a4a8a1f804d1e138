#!/usr/bin/env bash
# Proves that Scripts/bench-record keeps the blocks of a page apart, finds the ratios of each kind of table, and refuses what
# is not to be recorded.
#
#     Scripts/bench-record-selftest.sh
set -euo pipefail
record=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)/bench-record
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BENCH_PAGE=$work/page.md BENCH_ABOUT="a day, a commit, a machine" PYTHONDONTWRITEBYTECODE=1

passed=0
failed=0

# Compares a text with the one that is wanted.
expect() {
    local name=$1 wanted=$2 found=$3
    if [ "$found" = "$wanted" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n  wanted: %s\n  found:  %s\n' "$name" "$wanted" "$found"
    fi
}

# Prints the rows of the table of ratios.
rows() {
    "$record" | tail -n +3
}

printf '%s\n' "# Page" "" "By hand." "" "<!-- bench ratios -->" "<!-- end of ratios -->" "" "At the end." >"$BENCH_PAGE"
printf '%s\n' "5 rounds." "no ratio" | "$record" paths --times 3 2>/dev/null
expect "a new block" "# Page

By hand.

<!-- bench ratios -->
| benchmark | row | compared with | ratios: median (lowest–highest) |
|---|---|---|---|
<!-- end of ratios -->

At the end.

<!-- bench paths -->
## paths

\`Scripts/bench paths --times 3\`, a day, a commit, a machine

\`\`\`text
5 rounds.
no ratio
\`\`\`
<!-- end of paths -->" "$(cat "$BENCH_PAGE")"
printf '%s\n' "a" | "$record" other 2>/dev/null
printf '%s\n' "no other ratio" | "$record" paths 2>/dev/null
expect "a block in its former place" "## paths## other" "$(grep '^## ' "$BENCH_PAGE" | tr -d '\n')"
expect "the former figures are gone" 0 "$(grep -c 'no ratio' "$BENCH_PAGE" || true)"

"$record" http 2>/dev/null <<'TEXT'
7 rounds of 9000 requests, a third of that one at a time.
Ratios are taken in each round; median (min-max).
                                         c    req/s    cpu us   p50 us   p99 us   req/s ratio        cpu ratio
raw: HTTPClient.execute                  1    5000     100.0    190      400      1.00 (1.00-1.00)   1.00 (1.00-1.00)
raw: RestClient                          1    6000     60.0     150      300      1.20 (1.00-1.49)   0.60 (0.55-0.63)
raw: HTTPClient.execute                  16   20000    50.0     700      1500     1.00 (1.00-1.00)   1.00 (1.00-1.00)
raw: RestClient over AsyncHTTPClient     16   19000    50.5     750      1600     10.94 (10.84-11.21) 1.02 (0.99-1.05)
TEXT
expect "columns of fixed width, one of them too long for its cell" \
    "| http | raw: RestClient, 1 at once | HTTPClient.execute, 1 at once | req/s 1.20 (1.00–1.49); cpu 0.60 (0.55–0.63) |
| http | raw: RestClient over AsyncHTTPClient, 16 at once | HTTPClient.execute, 16 at once | req/s 10.94 (10.84–11.21); cpu 1.02 (0.99–1.05) |" \
    "$(rows)"

"$record" http 2>/dev/null <<'TEXT'
                       contender                        us each   cpu us    time ratio
memory                 nodes that wait                                      152 bytes each
chain, one             TaskGroup of 64                  0.650     1.270     1.00 (1.00-1.00)
chain, one             JobGraph, async                  0.330     0.320     0.50 (0.48-0.61)
                                                                            share
utilisation, 1 ms      TaskGroup of 64                                      0.98 (0.97-0.98)
TEXT
expect "shares are no ratios" \
    "| http | chain, one, JobGraph, async | TaskGroup of 64 | time 0.50 (0.48–0.61) |" "$(rows)"

"$record" http 2>/dev/null <<'TEXT'
TLS 1.3, HTTP/1:
                            us        Foundation us   speed
decode 1 KB                 5.12      31.2            6.1 (5.87-6.33)
TLS 1.3, HTTP/2:
| client | at once | req/s | us cpu | req/s ratio | cpu ratio |
|---|---|---|---|---|---|
| RestClient | 1 | 100 | 50 | 1.00 (1.00-1.00) | 1.00 (1.00-1.00) |
| curl | 1 | 200 | 25 | 2.00 (1.90-2.10) | 0.50 (0.40-0.60) |
TEXT
expect "sections, figures against what no row shows, and Markdown" \
    "| http | TLS 1.3, HTTP/1: decode 1 KB |  | speed 6.1 (5.87–6.33) |
| http | TLS 1.3, HTTP/2: curl, 1 at once | RestClient, 1 at once | req/s 2.00 (1.90–2.10); cpu 0.50 (0.40–0.60) |" \
    "$(rows)"

cp "$BENCH_PAGE" "$work/before.md"
for text in "" "failed: no connection" "the file /""tmp/x/y is missing"; do
    status=0
    printf '%s\n' "$text" | "$record" http 2>/dev/null || status=$?
    expect "refused: '$text'" 1 "$status"
done
status=0
echo "fine" | "$record" http --roots "/""home/me/roots.pem" 2>/dev/null || status=$?
expect "refused: a path among the arguments" 1 "$status"
expect "what is refused changes nothing" "$(cat "$work/before.md")" "$(cat "$BENCH_PAGE")"

printf 'bench-record-selftest: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
