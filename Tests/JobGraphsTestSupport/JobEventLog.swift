// SPDX-License-Identifier: MIT

import ConcurrencyTesting
package import JobGraphs

/// Records the events of a runtime, and lets a test wait for them.
package final class JobEventLog: JobObserver {
    private let recorder = Recorder<JobEvent>()

    package init() {}

    /// The events so far, oldest first.
    package var events: [JobEvent] { recorder.elements }

    /// The events so far, each in a few words: its kind, and what distinguishes it from others of that kind.
    package var lines: [String] { events.map { $0.kind.line } }

    package func observe(_ event: JobEvent) {
        recorder.record(event)
    }

    /// Waits for an event whose line begins with this.
    package func wait(for prefix: String) async throws {
        try await recorder.waitForElement { $0.kind.line.hasPrefix(prefix) }
    }
}

extension JobEvent.Kind {
    /// The event in a few words, as in `nodeFinished name success`.
    fileprivate var line: String {
        switch self {
        case .localJobStarted(let name): "localJobStarted \(name)"
        case .localJobSucceeded(let name): "localJobSucceeded \(name)"
        case .localJobFailed(let name, let error): "localJobFailed \(name) \(error)"
        case .localJobCancelled(let name): "localJobCancelled \(name)"
        case .groupStarted(let count): "groupStarted \(count)"
        case .groupFinished(let report): report.stopped ? "groupFinished stopped" : "groupFinished"
        case .graphStarted(let name, let count): "graphStarted \(name) \(count)"
        case .nodeStarted(let name): "nodeStarted \(name)"
        case .nodeFinished(let name, let status): "nodeFinished \(name) \(status)"
        case .graphFinished(let run): "graphFinished \(run.name) \(run.isSuccess ? "success" : "failure")"
        case .retryDecided(let number, _, let error): "retryDecided \(number) \(error)"
        case .retrySuppressed(let reason, let error): "retrySuppressed \(reason) \(error)"
        }
    }
}
