// SPDX-License-Identifier: MIT

import RestClient
import TestSupport

/// Listens to a manager for as long as it lives.
final class EventLog: Sendable {
    private let recorder = Recorder<ClientEvent>()
    private let observation: EventObservation

    init(_ manager: RestClientManager) {
        observation = manager.observe { [recorder] event in recorder.record(event) }
    }

    /// Everything that happened so far.
    var events: [ClientEvent] { recorder.elements }

    /// The names of everything that happened so far.
    var names: [String] { recorder.elements.map(\.kind.name.rawValue) }

    /// How often something happened.
    func count(of name: ClientEvent.Name) -> Int {
        recorder.elements.count { $0.kind.name == name }
    }

    /// Waits for so many events of that name, past or future.
    func wait(for name: ClientEvent.Name, count: Int = 1) async throws {
        var seen = 0
        while self.count(of: name) < count {
            seen = try await recorder.waitForCount(seen + 1).count
        }
    }
}
