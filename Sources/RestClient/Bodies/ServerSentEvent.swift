// SPDX-License-Identifier: MIT

/// A server-sent event, as the HTML standard defines it.
///
/// See <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event; `message` if the server does not set one.
    public var type: String

    /// The data, whose lines are separated by LF.
    public var data: String

    /// The latest identifier from the server, possibly from an earlier event; empty if there is none.
    ///
    /// An interrupted stream continues after it.
    public var lastEventID: String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - type: The type of the event.
    ///   - data: The data.
    ///   - lastEventID: The latest identifier from the server.
    public init(type: String = "message", data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}
