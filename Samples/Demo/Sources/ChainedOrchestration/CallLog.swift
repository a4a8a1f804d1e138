// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import Synchronization

/// Prints each call as it ends, and summarizes the calls for the table at the end.
final class CallLog: Sendable {
    private struct Row: Hashable {
        let call: String
        let status: String
        let source: String
    }

    private struct State {
        var order: [Row] = []
        var times: [Row: [Duration?]] = [:]
    }

    private let state = Mutex(State())

    func note(_ event: ClientEvent) {
        let call = event.request?.api ?? event.request?.template ?? "-"
        switch event.kind {
        case .callSucceeded(let status, let source, let duration):
            add(Row(call: call, status: "\(status.code)", source: Self.text(source)), duration)
        case .callFailed(let error):
            let error = error as? RestClientError
            let status = error?.status.map { "\($0.code)" } ?? "-"
            add(Row(call: call, status: status, source: error?.code.description ?? "failed"), nil)
        case .localJobSucceeded(let name):
            add(Row(call: name, status: "-", source: "local job"), nil)
        default:
            break
        }
    }

    func printTable() {
        let lines = state.withLock { state in
            state.order.map { row in
                let times = state.times[row] ?? []
                let total = times.compactMap(\.self).reduce(.zero, +)
                let mean = total == .zero ? "" : Self.milliseconds(total / times.count)
                return [row.call, row.status, row.source, "\(times.count)", mean]
            }
        }
        let table = [["call", "status", "source", "times", "ms each"]] + lines
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        for (index, row) in table.enumerated() {
            let cells = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            print("  " + cells.joined(separator: "  "))
            if index == 0 {
                print("  " + widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
            }
        }
    }

    private func add(_ row: Row, _ duration: Duration?) {
        state.withLock { state in
            if state.times[row] == nil {
                state.order.append(row)
            }
            state.times[row, default: []].append(duration)
        }
        let time = duration.map { "\(Self.milliseconds($0)) ms" } ?? ""
        print("  · \(row.call)  \(row.status)  \(row.source)  \(time)")
    }

    private static func text(_ source: ResponseSource) -> String {
        switch source {
        case .network: "server"
        case .cache: "cache"
        case .revalidatedCache: "cache, confirmed by server"
        case .dummy: "dummy"
        case .resultHandler: "result handler"
        case .fallback: "fallback value"
        }
    }

    private static func milliseconds(_ duration: Duration) -> String {
        String(format: "%.1f", duration / .milliseconds(1))
    }
}
