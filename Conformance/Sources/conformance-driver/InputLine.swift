// SPDX-License-Identifier: MIT

import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A line of input.
enum InputLine {
    case request(WireRequest, Route)
    case register(Registration, Route)
    case cancelAll
    case inFlight
    case metrics

    /// Reads a line.
    ///
    /// - Throws: ``UnsupportedField`` for a member that this driver does not know, and errors of the decoder.
    init(_ line: String) throws {
        let bytes = Data(line.utf8)
        let decoder = JSONDecoder()
        let value = try decoder.decode(JSONValue.self, from: bytes)
        if value["id"] != nil {
            try value.refuse(beyond: WireRequest.members)
            self = .request(
                try decoder.decode(WireRequest.self, from: bytes),
                try decoder.decode(Route.self, from: bytes)
            )
        } else if let registration = value["register"] {
            try registration.refuse(beyond: Registration.members)
            self = .register(
                try decoder.decode(Registration.Line.self, from: bytes).register,
                try decoder.decode(Route.Line.self, from: bytes).register
            )
        } else if value["cancelAll"] != nil {
            self = .cancelAll
        } else if value["inFlight"] != nil {
            self = .inFlight
        } else if value["metrics"] != nil {
            self = .metrics
        } else {
            throw WireError(text: "the line is neither a request with an id nor a command")
        }
    }

    /// The identifier in a line that may be malformed otherwise.
    static func identifier(in line: String) -> Int? {
        (try? JSONDecoder().decode(Identifier.self, from: Data(line.utf8)))?.id
    }

    private struct Identifier: Decodable {
        let id: Int
    }
}
