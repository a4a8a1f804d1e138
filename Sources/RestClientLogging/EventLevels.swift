// SPDX-License-Identifier: MIT

public import Logging
public import RestClient

/// Which level of a log an event is worth.
public enum EventLevels {
    /// Ends of calls and groups, new tokens and the program's own events at `info`, failures at `error` or `warning`,
    /// the rest at `debug`.
    ///
    /// - Parameter event: The event.
    /// - Returns: The level; there is one for every event.
    public static func standard(_ event: ClientEvent) -> Logger.Level? {
        switch event.kind.name {
        case .callFailed, .localJobFailed: .error
        case .cacheFailed, .retrySuppressed, .retryDecided: .warning
        case .callSucceeded, .callCancelled, .localJobSucceeded, .localJobCancelled, .groupFinished, .graphFinished,
            .tokenRefreshed, .custom:
            .info
        default: .debug
        }
    }
}
