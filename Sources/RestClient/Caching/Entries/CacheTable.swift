// SPDX-License-Identifier: MIT

import RestEssentials

/// Writes stored answers as a table.
enum CacheTable {
    private static let titles = ["age", "state", "status", "bytes", "api", "request"]

    /// The table; newest answers first.
    static func text(_ answers: [CachedAnswer], now: Date) -> String {
        let rows = answers.sorted { ($0.storedAt, $0.id) > ($1.storedAt, $1.id) }.map { row($0, now) }
        let widths = titles.indices.map { column in
            ([titles] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([titles] + rows)
            .map { cells in
                zip(cells, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
                    .joined(separator: "  ").trimmingTrailingSpaces()
            }
            .joined(separator: "\n")
    }

    private static func row(_ answer: CachedAnswer, _ now: Date) -> [String] {
        let isExpired = answer.expiresAt.map { now >= $0 } ?? false
        return [
            age(now.timeIntervalSince(answer.storedAt)),
            answer.isInvalidated ? "stale" : isExpired ? "expired" : "stored",
            "\(answer.status.code)",
            "\(answer.byteCount)",
            answer.api ?? "-",
            "\(answer.method.rawValue) \(answer.url)",
        ]
    }

    private static func age(_ seconds: Double) -> String {
        switch seconds {
        case ..<0: "-"
        case ..<120: "\(Int(seconds)) s"
        case ..<7_200: "\(Int(seconds / 60)) min"
        case ..<172_800: "\(Int(seconds / 3_600)) h"
        case ..<1e11: "\(Int(seconds / 86_400)) d"
        default: "-"
        }
    }
}

extension String {
    fileprivate func trimmingTrailingSpaces() -> String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
