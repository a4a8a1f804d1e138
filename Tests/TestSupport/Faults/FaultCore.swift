// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import NIOCore
import Synchronization

/// The parts that the connections of a fault server share: the faults to come, and a log.
final class FaultCore: Sendable {
    struct Log: Sendable {
        var requests = 0
        var connections = 0
        var open = 0
        var met: [FaultServer.Fault] = []
        var pending: [FaultServer.Fault] = []
    }

    private struct Channels {
        var respond: (@Sendable (FaultServer.Request) -> FaultServer.Fault?)?
        var isStopped = false
        var open: [ObjectIdentifier: any Channel] = [:]
    }

    let log = Monitor(Log())
    private let channels = Mutex(Channels())

    func inject(_ fault: FaultServer.Fault, count: Int) {
        log.update { $0.pending += Array(repeating: fault, count: max(0, count)) }
    }

    /// Takes the next fault, if it begins at the given time: before a request is read, or when its head has arrived.
    func take(beforeRequest: Bool) -> FaultServer.Fault? {
        log.update { log in
            guard let first = log.pending.first, (first.moment == .accepted) == beforeRequest else {
                return nil
            }
            log.pending.removeFirst()
            log.met.append(first)
            return first
        }
    }

    /// Counts a request, and returns the fault that meets it.
    func meet(_ request: @autoclosure () -> FaultServer.Request) -> FaultServer.Fault? {
        log.update { $0.requests += 1 }
        if let fault = take(beforeRequest: false) {
            return fault
        }
        return channels.withLock(\.respond)?(request())
    }

    func setResponder(_ respond: @escaping @Sendable (FaultServer.Request) -> FaultServer.Fault?) {
        channels.withLock { $0.respond = respond }
    }

    func opened(_ channel: any Channel) {
        let isStopped = channels.withLock { channels in
            channels.open[ObjectIdentifier(channel)] = channel
            return channels.isStopped
        }
        log.update { log in
            log.connections += 1
            log.open += 1
        }
        if isStopped {
            channel.close(promise: nil)
        }
    }

    func closed(_ channel: any Channel) {
        _ = channels.withLock { $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
        log.update { $0.open -= 1 }
    }

    func stop() {
        let open = channels.withLock { channels in
            channels.isStopped = true
            return Array(channels.open.values)
        }
        for channel in open {
            channel.close(promise: nil)
        }
    }
}
