// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import Synchronization

/// Prints each call as it ends, and collects the calls for the table at the end.
final class CallLog: Sendable {
    private let rows = Mutex<[[String]]>([])

    func note(_ event: ClientEvent) {
        let call = event.request?.api ?? event.request?.template ?? "-"
        switch event.kind {
        case .callSucceeded(let status, let source, let duration):
            add([call, "\(status.code)", Self.text(source), Self.milliseconds(duration)])
        case .callFailed(let error):
            let error = error as? RestClientError
            add([call, error?.status.map { "\($0.code)" } ?? "-", error?.code.description ?? "failed", ""])
        case .localJobSucceeded(let name):
            add([name, "-", "local job", ""])
        default:
            break
        }
    }

    func printTable() {
        let table = [["call", "status", "answered by", "ms"]] + rows.withLock { $0 }
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        for (index, row) in table.enumerated() {
            let line = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            print("  " + line.joined(separator: "  "))
            if index == 0 {
                print("  " + widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
            }
        }
    }

    private func add(_ row: [String]) {
        rows.withLock { $0.append(row) }
        print("  · " + row.filter { !$0.isEmpty }.joined(separator: "  "))
    }

    private static func text(_ source: ResponseSource) -> String {
        switch source {
        case .network: "server"
        case .cache: "cache"
        case .revalidatedCache: "cache, confirmed by server"
        case .dummy: "dummy"
        case .resultHandler: "result handler"
        }
    }

    private static func milliseconds(_ duration: Duration) -> String {
        String(format: "%.1f", duration / .milliseconds(1))
    }
}
