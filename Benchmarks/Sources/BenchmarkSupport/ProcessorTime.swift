// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The processor time of this process, and that of the processes that it started.
public enum ProcessorTime {
    #if canImport(Glibc)
    private static let processItself = __rusage_who_t(RUSAGE_SELF.rawValue)
    private static let children = __rusage_who_t(RUSAGE_CHILDREN.rawValue)
    #else
    private static let processItself = RUSAGE_SELF
    private static let children = RUSAGE_CHILDREN
    #endif

    /// User and system time so far, in microseconds.
    public static func microseconds() -> Double {
        var usage = rusage()
        getrusage(processItself, &usage)
        return microseconds(usage)
    }

    /// User and system time of the processes that this one started, and that have ended, in microseconds.
    public static func microsecondsOfChildren() -> Double {
        var usage = rusage()
        getrusage(children, &usage)
        return microseconds(usage)
    }

    private static func microseconds(_ usage: rusage) -> Double {
        func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1_000_000 + Double(time.tv_usec) }
        return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
    }
}
