// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The time of day, without Foundation.
enum WallClock {
    /// Whole seconds since the beginning of 1970, UTC.
    static var secondsSince1970: Int64 {
        Int64(time(nil))
    }
}
