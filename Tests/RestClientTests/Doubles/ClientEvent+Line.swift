// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import TestSupport

extension ClientEvent {
    /// The event in a few words, for literal lists of what is to happen.
    var line: String {
        switch kind {
        case .attemptStarted(let number): "attemptStarted \(number)"
        case .attemptFinished(let number, let status): "attemptFinished \(number) \(status.code)"
        case .attemptFailed(let number, let error): "attemptFailed \(number) \(Self.word(error))"
        case .retryDecided(let number, let delay, let error): "retryDecided \(number) \(delay) \(Self.word(error))"
        case .retrySuppressed(let reason, let error): "retrySuppressed \(reason) \(Self.word(error))"
        case .redirected(let url): "redirected \(url)"
        case .callSucceeded(let status, let source, _): "callSucceeded \(status.code) \(Self.word(source))"
        case .callFailed(let error): "callFailed \(Self.word(error))"
        case .cacheHit(let age): "cacheHit \(age.components.seconds)"
        case .cacheStale(let age): "cacheStale \(age.components.seconds)"
        case .cacheMiss(let reason): "cacheMiss \(reason)"
        case .localJobStarted(let name), .localJobSucceeded(let name), .localJobCancelled(let name):
            "\(kind.name) \(name)"
        case .localJobFailed(let name, let error): "localJobFailed \(name) \(Self.word(error))"
        case .groupStarted(let count): "groupStarted \(count)"
        case .groupFinished(let isStopped): isStopped ? "groupFinished stopped" : "groupFinished"
        case .graphStarted(let name, let count): "graphStarted \(name) \(count)"
        case .graphFinished(let name, let isSuccess): "graphFinished \(name) \(isSuccess ? "success" : "failure")"
        case .nodeStarted(let name): "nodeStarted \(name)"
        case .nodeFinished(let name, let status): "nodeFinished \(name) \(status)"
        case .custom(let identifier, _): "custom \(identifier)"
        default: kind.name.rawValue
        }
    }

    private static func word(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as RestClientError: error.code.description
        default: "\(error)"
        }
    }

    private static func word(_ source: ResponseSource) -> String {
        switch source {
        case .network: "network"
        case .cache: "cache"
        case .revalidatedCache: "revalidatedCache"
        case .dummy: "dummy"
        case .resultHandler: "resultHandler"
        }
    }
}

/// Listens to a manager for as long as it lives.
final class EventLog: Sendable {
    private let recorder = Recorder<ClientEvent>()
    private let observation: EventObservation

    init(_ manager: RestClientManager) {
        observation = manager.observe { [recorder] event in recorder.record(event) }
    }

    /// Everything that happened so far.
    var events: [ClientEvent] { recorder.elements }

    /// Everything that happened so far, in words.
    var lines: [String] { recorder.elements.map(\.line) }

    /// Forgets what happened so far.
    func clear() {
        recorder.removeAll()
    }

    /// Waits for an event of that name, past or future.
    func wait(for name: ClientEvent.Name) async throws {
        try await recorder.waitForElement { $0.kind.name == name }
    }
}
