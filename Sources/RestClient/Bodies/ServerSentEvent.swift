// SPDX-License-Identifier: MIT

import RestEssentials

/// A server-sent event, as the HTML standard defines it.
///
/// See <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
public struct ServerSentEvent: Sendable {
    /// The type of the event; `message` if the server does not set one.
    public var type: String

    /// The data, whose lines are separated by LF.
    public var data: String

    /// The latest identifier from the server, possibly from an earlier event; empty if there is none.
    ///
    /// An interrupted stream continues after it.
    public var lastEventID: String

    /// Decodes data in the same way as the call's responses; `nil` for an event that did not come from a call.
    var reader: (any BodyReader)?

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

extension ServerSentEvent: Hashable {
    /// Returns true if type, data and identifier are equal, regardless of the calls from which the events came.
    public static func == (first: ServerSentEvent, second: ServerSentEvent) -> Bool {
        first.type == second.type && first.data == second.data && first.lastEventID == second.lastEventID
    }

    /// Adds type, data and identifier to a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(data)
        hasher.combine(lastEventID)
    }
}

extension ServerSentEvent: MirroredByDescription {
    /// The type and the length of the data.
    public var description: String { MessageText.of("\(type) of \(data.utf8.count) bytes") }
}
