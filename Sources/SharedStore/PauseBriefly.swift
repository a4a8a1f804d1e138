// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Blocks the thread for a millisecond, between attempts to open a file that others open too.
func pauseBriefly() {
    _ = usleep(1000)
}
