// SPDX-License-Identifier: MIT

/// An event of a server, as the HTML standard defines it.
///
/// See <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event; `message` if the server does not name one.
    public var type: String

    /// The data, whose lines are separated by LF.
    public var data: String

    /// The identifier that the server gave last, perhaps with an earlier event; empty if there is none.
    ///
    /// A stream that is interrupted goes on after it.
    public var lastEventID: String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - type: The type of the event.
    ///   - data: The data.
    ///   - lastEventID: The identifier that the server gave last.
    public init(type: String = "message", data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}
