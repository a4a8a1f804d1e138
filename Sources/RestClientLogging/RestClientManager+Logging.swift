// SPDX-License-Identifier: MIT

#if Logging

import HTTPTypes
public import Logging
public import RestClient
import RestEssentials

extension RestClientManager {
    /// Logs events, until the returned observation is cancelled or released.
    ///
    /// Each event is one message: its name as the text, and its call, request and values as metadata. Credentials are
    /// masked, models are named by their type only. Calls that are ``/RestClient/CallConfigurable/muted()`` are
    /// skipped.
    ///
    /// ```swift
    /// let logging = manager.log(to: Logger(label: "api"))
    /// ```
    ///
    /// - Parameters:
    ///   - logger: The logger. Its own level applies.
    ///   - filter: The filter that events must pass. Defaults to all events.
    ///   - level: Returns the level of an event, `nil` to skip it. Defaults to ``EventLevels/standard(_:)``.
    /// - Returns: The observation to keep.
    public func log(
        to logger: Logger,
        _ filter: EventFilter = .all,
        level: @escaping @Sendable (ClientEvent) -> Logger.Level? = EventLevels.standard
    ) -> ObservationToken {
        observe(filter) { event in
            guard event.request?.isMuted != true, let level = level(event), level >= logger.logLevel else {
                return
            }
            logger.log(
                level: level,
                "\(event.kind.name.rawValue)",
                metadata: EventMetadata.metadata(of: event),
                source: "RestClient"
            )
        }
    }
}

enum EventMetadata {
    static func metadata(of event: ClientEvent) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        metadata["call"] = event.callID.map { "\($0)" }
        metadata["group"] = event.groupID.map { "\($0)" }
        if let request = event.request {
            metadata["method"] = request.method.map { "\(MessageText.of($0.rawValue))" }
            metadata["url"] = request.url.map { "\(MessageText.of($0))" }
            metadata["api"] = request.api.map { "\(MessageText.of($0))" }
            metadata["server"] = request.server.map { "\(MessageText.of($0.rawValue))" }
            metadata["endpoint"] = request.template.map { "\(MessageText.of($0))" }
            metadata["callIdentifier"] = request.callIdentifier.map { "\(MessageText.of($0))" }
        }
        for detail in event.kind.details {
            metadata[detail.key.rawValue] = "\(detail.text)"
        }
        return metadata
    }
}

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

#else

public import RestClient

extension RestClientManager {
    /// Says which trait the package lacks.
    @available(
        *,
        unavailable,
        message: "add the trait 'Logging' to your dependency: .package(url: …, traits: [.defaults, \"Logging\"])"
    )
    public func log(to logger: Any, _ filter: EventFilter = .all) -> ObservationToken {
        observe { _ in }
    }
}

#endif
