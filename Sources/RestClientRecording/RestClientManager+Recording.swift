// SPDX-License-Identifier: MIT

public import RestClient

extension RestClientManager {
    /// Records the manager's exchanges, and compares recordings with the servers' current responses.
    public var recording: TrafficRecording { TrafficRecording(manager: self) }
}
