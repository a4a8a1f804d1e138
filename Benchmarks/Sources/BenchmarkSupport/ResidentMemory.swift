// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Foundation
import Glibc
#else
import Darwin
#endif

/// The memory of this process that is resident.
public enum ResidentMemory {
    #if canImport(Glibc)
    private static let processItself = __rusage_who_t(RUSAGE_SELF.rawValue)

    /// The most that it was so far.
    public static func peakBytes() -> Int {
        var usage = rusage()
        return getrusage(processItself, &usage) == 0 ? usage.ru_maxrss << 10 : 0
    }

    /// How much it is now.
    public static func bytes() -> Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
    }
    #else
    /// The most that it was so far.
    public static func peakBytes() -> Int {
        var usage = rusage()
        return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0
    }

    /// How much it is now.
    public static func bytes() -> Int {
        var information = mach_task_basic_info()
        var count = mach_msg_type_number_t(MemoryLayout.size(ofValue: information) / MemoryLayout<natural_t>.size)
        let result = withUnsafeMutablePointer(to: &information) { pointer in
            pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
            }
        }
        return result == KERN_SUCCESS ? Int(information.resident_size) : 0
    }
    #endif
}
