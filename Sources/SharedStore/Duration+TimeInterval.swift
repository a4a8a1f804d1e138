// SPDX-License-Identifier: MIT
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension Duration {
    /// The duration in seconds.
    var timeInterval: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

/// Gives way for a millisecond on a thread that may block, between attempts to open a file that others open too.
func pauseBriefly() {
    _ = usleep(1000)
}
