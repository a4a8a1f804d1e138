// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import Synchronization

/// The network between one process and the server: it delays, loses and cuts as the seed says.
///
/// A request that is under way reaches the server even if its process dies or no longer wants it, unless it is lost.
final class SimulatedNetwork: Transport {
    private enum Fault: UInt64 {
        /// No connection can be made.
        case refused
        /// The request is lost.
        case lost
        /// The response is lost, and the connection is cut.
        case cut
        /// The response never comes.
        case stalled
    }

    private struct State {
        var generator: SplitMix64
        var weather: Weather
        var isCut = false
        var lastNumber = 0
        var underWay: [Int: Promise<RawResponse>] = [:]
    }

    private let server: SimulatedServer
    private let ledger: Ledger
    private let state: Mutex<State>

    init(seed: UInt64, weather: Weather, server: SimulatedServer, ledger: Ledger) {
        self.server = server
        self.ledger = ledger
        state = Mutex(State(generator: SplitMix64(seed: seed), weather: weather))
    }

    /// The number of exchanges that have not ended.
    var count: Int { state.withLock { $0.underWay.count } }

    /// Cuts the process off for good: its exchanges fail, and it can begin no other.
    func cut() {
        let promises = state.withLock { state in
            state.isCut = true
            return state.underWay.sorted { $0.key < $1.key }.map(\.value)
        }
        for promise in promises {
            promise.settle(.failure(RestClientError(.connectionClosed, "the process is cut off")))
        }
    }

    /// Ends an exchange when its call is cancelled otherwise than with its task.
    private struct Abort: CancellableWork {
        let promise: Promise<RawResponse>

        func cancel() {
            promise.settle(.failure(CancellationError()))
        }
    }

    func send(_ request: TransportRequest) async throws -> RawResponse {
        let promise = Promise<RawResponse>()
        let number = try begin(request, promise)
        ledger.exchangeBegan(request)
        defer {
            ledger.exchangeEnded(request)
            state.withLock { state in _ = state.underWay.removeValue(forKey: number) }
        }
        let alarm = request.timeout.map { timeout in
            Scheduler.shared.after(timeout) { promise.settle(.failure(Self.error(.timeout))) }
        }
        defer {
            if let alarm {
                Scheduler.shared.cancel(alarm)
            }
        }
        request.cancellation?.waits(for: Abort(promise: promise))
        defer { request.cancellation?.stopsWaiting() }
        return try await withTaskCancellationHandler {
            try await promise.value()
        } onCancel: {
            promise.settle(.failure(CancellationError()))
        }
    }

    private func begin(_ request: TransportRequest, _ promise: Promise<RawResponse>) throws -> Int {
        try Task.checkCancellation()
        let (number, fault, there, back) = try state.withLock { state in
            guard !state.isCut else {
                throw Self.error(.connectionFailed)
            }
            state.lastNumber += 1
            state.underWay[state.lastNumber] = promise
            let isFaulty = state.generator.isHit(state.weather.networkFaults)
            let fault = isFaulty ? Fault(rawValue: state.generator.next() % 4) : nil
            let there = state.generator.duration(around: state.weather.latency)
            return (state.lastNumber, fault, there, state.generator.duration(around: state.weather.latency))
        }
        Scheduler.shared.note("\(request.method) \(request.url) is sent\(fault.map { ", \($0)" } ?? "")")
        Scheduler.shared.after(there) { [server] in
            switch fault {
            case .refused: promise.settle(.failure(Self.error(.connectionFailed)))
            case .lost: promise.settle(.failure(Self.error(.connectionClosed)))
            case .cut, .stalled, nil:
                let response = server.respond(to: request)
                Scheduler.shared.mark(response.status.code)
                Scheduler.shared.note("\(request.method) \(request.url) arrives: \(response.status.code)")
                Scheduler.shared.after(back) {
                    switch fault {
                    case .cut: promise.settle(.failure(Self.error(.connectionClosed)))
                    case nil: promise.settle(.success(response))
                    default: break
                    }
                }
            }
        }
        return number
    }

    private static func error(_ code: RestClientError.Code) -> RestClientError {
        RestClientError(code, "simulated")
    }
}
