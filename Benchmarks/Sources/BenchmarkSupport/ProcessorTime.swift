// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The processor time of this process.
public enum ProcessorTime {
    #if canImport(Glibc)
    private static let processItself = __rusage_who_t(RUSAGE_SELF.rawValue)
    #else
    private static let processItself = RUSAGE_SELF
    #endif

    /// User and system time so far, in microseconds.
    public static func microseconds() -> Double {
        var usage = rusage()
        getrusage(processItself, &usage)
        func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1_000_000 + Double(time.tv_usec) }
        return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
    }
}
