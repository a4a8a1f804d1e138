// SPDX-License-Identifier: MIT

#if AsyncHTTPClient || Logging

public import Logging
public import RestClient

/// The log levels of events.
public enum EventLevels {
    /// Returns `error` or `warning` for failures, `info` for ends of calls and groups, token refreshes and custom
    /// events, and `debug` for all other events.
    ///
    /// - Parameter event: The event.
    /// - Returns: The level, never `nil`.
    public static func standard(_ event: ClientEvent) -> Logger.Level? {
        switch event.kind.name {
        case .callFailed, .localJobFailed: .error
        case .cacheFailed, .rateLimitNotShared, .retrySuppressed, .retryDecided, .surplusReceived: .warning
        case .callSucceeded, .callCancelled, .localJobSucceeded, .localJobCancelled, .groupFinished, .graphFinished,
            .tokenRefreshed, .custom:
            .info
        default: .debug
        }
    }
}

#endif
