// SPDX-License-Identifier: MIT

import HTTPTypes

/// A header field of a line, written as a list of its name and its value.
enum HeaderPair {
    /// Reads header fields; a list of another shape is an error.
    static func all(_ pairs: [[String]]?) throws -> [(name: HTTPField.Name, value: String)] {
        try (pairs ?? [])
            .map { pair in
                guard pair.count == 2, let name = HTTPField.Name(pair[0]) else {
                    throw WireError(text: "\(pair) is no header field")
                }
                return (name, pair[1])
            }
    }
}
