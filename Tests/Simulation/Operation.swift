// SPDX-License-Identifier: MIT

import JobGraphs
import RestClient
import RestEssentials

/// One thing that a process of a simulation does, drawn from the seed.
struct Operation: Sendable, CustomStringConvertible {
    /// The ways in which a read uses the cache.
    enum Caching: Sendable, CaseIterable {
        case none
        case http
        case elseNetwork
        case cacheOnly
        case networkElseCache
        case refreshing
    }

    enum Kind: Sendable {
        case read(String, Caching, isHedged: Bool, isShared: Bool)
        case callback(String)
        case twice(String)
        case write(String)
        case order(hasKey: Bool)
        case invalidate(String)
        case group(Int, limit: Int?, isSerial: Bool)
        case queue(Int, limit: Int?)
        case graph(Int)
        case durable(Int, UnknownOutcome)
        /// A durable graph that is enqueued, and worked by a worker of each process.
        case queued(Int, UnknownOutcome)
    }

    let number: Int
    let kind: Kind
    let delay: Duration
    /// The number in the names of a durable graph, which is that of the operation that first ran it.
    let graphNumber: Int
    /// True if a durable graph is run until it succeeds.
    var mustFinish = false
    var cancelledAfter: Duration?
    /// True if it is cancelled by the tag of its calls, not by its task.
    var isCancelledByTag = false
    var timeout: Duration?

    init(_ number: Int, mayBeDurable: Bool, _ generator: inout SplitMix64) {
        self.number = number
        graphNumber = number
        let item = "item\(generator.next() % 3)"
        switch generator.next() % 20 {
        case 0...7:
            let caching = Caching.allCases.randomElement(using: &generator) ?? .none
            kind = .read(item, caching, isHedged: generator.isHit(0.2), isShared: generator.isHit(0.2))
        case 8: kind = .callback(item)
        case 9: kind = .twice(item)
        case 10, 11: kind = .write(item)
        case 12: kind = .order(hasKey: false)
        case 13: kind = .order(hasKey: true)
        case 14: kind = .invalidate(item)
        case 15, 16:
            let count = Int(generator.next() % 5)
            kind = .group(count, limit: generator.isHit(0.3) ? 2 : nil, isSerial: generator.isHit(0.3))
        case 17: kind = .queue(Int(generator.next() % 6), limit: generator.isHit(0.3) ? 2 : nil)
        case 18 where mayBeDurable, 19 where mayBeDurable:
            let count = Int(generator.next() % 3)
            let policy: UnknownOutcome = generator.isHit(0.5) ? .fail : .repeatWithSameKey
            kind = generator.isHit(0.4) ? .queued(count, policy) : .durable(count, policy)
        default: kind = .graph(Int(generator.next() % 4))
        }
        delay = generator.isHit(0.5) ? .zero : .milliseconds(Int(generator.next() % 2_000))
        if generator.isHit(0.15) {
            isCancelledByTag = generator.isHit(0.4)
            cancelledAfter = generator.isHit(0.2) ? .zero : .microseconds(Int(generator.next() % 500_000))
        }
        if generator.isHit(0.3) {
            timeout = .milliseconds(50 + Int(generator.next() % 2_000))
        }
    }

    /// Runs a durable graph again, as a later process does.
    ///
    /// - Parameters:
    ///   - number: The number of the operation.
    ///   - other: The earlier one.
    ///   - mustFinish: True if it is run until it succeeds.
    init(_ number: Int, repeating other: Operation, mustFinish: Bool) {
        self.number = number
        self.mustFinish = mustFinish
        graphNumber = other.graphNumber
        kind = other.kind
        delay = .zero
    }

    /// The tag of its calls.
    var tag: String { "operation-\(number)" }

    var isCacheOnly: Bool {
        if case .read(_, .cacheOnly, _, _) = kind { true } else { false }
    }

    /// True if its time limit holds for all of it.
    var hasTimeout: Bool {
        switch kind {
        case .read, .callback, .write, .graph: true
        default: false
        }
    }

    var isDurable: Bool {
        switch kind {
        case .durable, .queued: true
        default: false
        }
    }

    var description: String {
        let limit = timeout.map { ", timeout \($0)" } ?? ""
        return "operation \(number) \(kind)\(limit)\(cancelledAfter.map { ", cancelled after \($0)" } ?? "")"
    }
}
