// SPDX-License-Identifier: MIT

import RestEssentials

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension SoakWorker {
    /// Returns the promises that were not kept.
    static func defects(
        _ counts: SoakTally.Counts,
        _ report: Report,
        _ memory: [Double],
        _ before: Int?,
        _ after: Int?
    ) -> [String] {
        var defects: [String] = []
        if counts.ended != counts.started {
            defects.append("\(counts.started) calls began, and \(counts.ended) ended")
        }
        let events = counts.events
        let terminal = ["callSucceeded", "callFailed", "callCancelled"].reduce(0) { $0 + (events[$1] ?? 0) }
        if events["callStarted"] != terminal {
            defects.append("\(events["callStarted"] ?? 0) events callStarted, and \(terminal) terminal ones")
        }
        let attempts = (events["attemptFinished"] ?? 0) + (events["attemptFailed"] ?? 0)
        if events["attemptStarted"] ?? 0 != attempts {
            defects.append("\(events["attemptStarted"] ?? 0) events attemptStarted, and \(attempts) that end attempts")
        }
        let repeated = report.orders.filter { $0.value > 1 }
        if let first = repeated.first {
            defects.append("\(repeated.count) orders were made more than once, as \(first.key)")
        }
        let lost = counts.confirmed.filter { report.orders[$0] == nil }
        if let first = lost.first {
            defects.append("\(lost.count) orders succeeded, and the server knows nothing of them, as \(first)")
        }
        let (sent, received, responded) = (counts.sent, report.received, counts.responded)
        if let (order, number) = received.first(where: { $0.value > sent[$0.key] ?? 0 }) {
            defects.append("the server received order \(order) \(number) times, and \(sent[order] ?? 0) were sent")
        }
        if let (order, number) = responded.first(where: { $0.value > received[$0.key] ?? 0 }) {
            defects.append("order \(order) has \(number) responses, and the server received \(received[order] ?? 0)")
        }
        if let before, let after, after > before {
            defects.append("\(after - before) descriptors more than before")
        }
        if let growth = growth(of: memory), growth > 1.25 {
            defects.append("the memory grew to \(growth) times its size between the second quarter and the last one")
        }
        return defects
    }

    /// How many times as much memory the last quarter of a run took as the second one; `nil` for a short run.
    static func growth(of memory: [Double]) -> Double? {
        let quarter = memory.count / 4
        guard quarter >= 4 else {
            return nil
        }
        let second = memory[quarter..<(2 * quarter)].max() ?? 0
        let last = memory.suffix(quarter).max() ?? 0
        return second > 0 ? last / second : nil
    }

    static func summary(
        _ name: String,
        _ counts: SoakTally.Counts,
        _ report: Report,
        _ seconds: Double,
        _ memory: [Double],
        _ before: Int?,
        _ after: Int?
    ) -> String {
        let failed = counts.failed.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let events = counts.events.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let growth = growth(of: memory).map { "\(($0 * 100).rounded() / 100) times the second quarter" } ?? "short run"
        return """
            \(name): \(counts.started) calls in \(seconds.rounded()) s: \(counts.succeeded) succeeded (\(counts.hits) from \
            the cache), \(counts.cancelled) cancelled, failed: \(failed)
            \(name): \(counts.confirmed.count) orders confirmed, \(report.orders.count) known to the server, none twice: \
            \(report.orders.values.allSatisfy { $0 == 1 })
            \(name): requests of orders: \(counts.sent.values.reduce(0, +)) sent, \
            \(report.received.values.reduce(0, +)) received by the server, \
            \(counts.responded.values.reduce(0, +)) with a response
            \(name): events: \(events)
            \(name): memory at most \((memory.max() ?? 0).rounded()) MB, last quarter: \(growth); descriptors \
            \(before ?? 0) before, \(after ?? 0) after
            \(name): the server saw \(report.requests) requests of all workers, and broke \(report.faults)
            """
    }

    /// The memory of the process; zero where it cannot be told.
    static func residentMegabytes() -> Double {
        guard let text = try? String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else {
            return 0
        }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    /// The number of open descriptors, after some time in which they may become few enough; `nil` where it cannot be
    /// told.
    static func descriptors(atMost limit: Int?) async -> Int? {
        var count: Int?
        for _ in 0..<50 {
            count = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
            guard let limit, let count, count > limit else {
                if limit != nil {
                    break
                }
                try? await Soak.clock.sleep(for: .milliseconds(20))
                continue
            }
            try? await Soak.clock.sleep(for: .milliseconds(100))
        }
        return count
    }
}
