#!/usr/bin/env bash
# Checks that the compiler explains the mistakes of newcomers: that each wrong line in Tests/CompilerMessages gets the
# message that stands above it, and nothing else gets any.
#
#     Scripts/messages.sh [file.swift ...]
#
# A wrong line has a line '// expect: TEXT' above it, or several, one for each message; TEXT is a part of the message, best
# one that this library words, because the compiler's own differ between its versions. All other lines must compile. Nothing
# is compiled but these files: 'swift build' leaves the modules that they import.
# Prints 'file:line: message: text' for each fault, and exits with 1 when there is one.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd -P)
# shellcheck source=Scripts/common.sh
source "$root/Scripts/common.sh"

case ${1:-} in
    -h | --help)
        usage
        exit 0
        ;;
esac
cd "$root"
files=("$@")
if [ "$#" -eq 0 ]; then
    files=(Tests/CompilerMessages/*.swift)
fi
swift build --package-path "$root" --target RestClient
find_modules "$root"
status=0
for file in "${files[@]}"; do
    # The compiler fails, as it should.
    { swiftc -typecheck -swift-version 6 -diagnostic-style llvm "${module_options[@]}" "$file" 2>&1 || true; } |
        awk -f Scripts/checks/messages.awk "$file" - || status=1
done
exit "$status"
