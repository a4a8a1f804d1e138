// SPDX-License-Identifier: MIT

public import Logging
public import RestClient

extension RestClientManager {
    /// Logs what happens, until the returned observation is cancelled or released.
    ///
    /// Each event is one line: its name as the message, and its call, request and details as metadata. Credentials are masked,
    /// models are named by their type only. Calls that are ``/RestClient/CallConfigurable/muted()`` are passed over.
    ///
    /// ```swift
    /// let logging = manager.log(to: Logger(label: "api"))
    /// ```
    ///
    /// - Parameters:
    ///   - logger: Where to log; its own level decides what it keeps.
    ///   - filter: Which events; all by default.
    ///   - level: At which level an event is logged, `nil` for not at all; ``EventLevels/standard(_:)`` by default.
    /// - Returns: What keeps the logging alive.
    public func log(
        to logger: Logger,
        _ filter: EventFilter = .all,
        level: @escaping @Sendable (ClientEvent) -> Logger.Level? = EventLevels.standard
    ) -> EventObservation {
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
