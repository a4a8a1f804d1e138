// SPDX-License-Identifier: MIT

import HTTPTypes

/// The maximum size of the header of a response.
struct HeaderLimit: Sendable, Hashable {
    let fields: Int
    let bytes: Int

    var description: String {
        var parts: [String] = []
        if fields < .max {
            parts.append("\(fields) fields")
        }
        if bytes < .max {
            parts.append("\(bytes) bytes")
        }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// Returns what is wrong with the header of a response; `nil` if nothing is.
    func defect(of headers: HTTPFields) -> String? {
        guard headers.count <= fields else {
            return "the response has \(headers.count) header fields, and \(fields) are allowed"
        }
        let count = headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        return count <= bytes ? nil : "the header of the response has \(count) bytes, and \(bytes) are allowed"
    }
}
