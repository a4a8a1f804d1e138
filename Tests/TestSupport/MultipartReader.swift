// SPDX-License-Identifier: MIT

package import RestEssentials

/// Parses multipart bodies strictly: everything that RFC 2046 does not allow is an error.
package struct MultipartReader {
    package struct Part: Hashable {
        package var headers: [[String]]
        package var content: Data

        /// The value of a parameter of `Content-Disposition`, with what the HTML standard encodes decoded.
        package func parameter(_ name: String) -> String? {
            guard let line = headers.first(where: { $0[0] == "Content-Disposition" })?[1],
                let start = line.firstRange(of: "; \(name)=\"")
            else {
                return nil
            }
            return String(line[start.upperBound...].prefix { $0 != "\"" })
                .replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
        }
    }

    package struct Malformed: Error {
        package let reason: String
    }

    package static func parts(of body: Data, contentType: String) throws -> [Part] {
        guard let mark = contentType.firstRange(of: "boundary=") else {
            throw Malformed(reason: "no boundary")
        }
        let boundary = contentType[mark.upperBound...].filter { $0 != "\"" }
        var rest = body[...]
        try take("--\(boundary)", from: &rest)
        var parts: [Part] = []
        while !rest.starts(with: "--".utf8) {
            try take("\r\n", from: &rest)
            var headers: [[String]] = []
            while let line = try line(from: &rest) {
                guard let colon = line.firstRange(of: ": ") else {
                    throw Malformed(reason: "a header without a colon: \(line)")
                }
                headers.append([String(line[..<colon.lowerBound]), String(line[colon.upperBound...])])
            }
            guard let end = rest.firstRange(of: Data("\r\n--\(boundary)".utf8)) else {
                throw Malformed(reason: "a part without an end")
            }
            parts.append(Part(headers: headers, content: Data(rest[..<end.lowerBound])))
            rest = rest[end.upperBound...]
        }
        try take("--\r\n", from: &rest)
        guard rest.isEmpty else {
            throw Malformed(reason: "bytes behind the end")
        }
        return parts
    }

    private static func take(_ text: String, from rest: inout Data.SubSequence) throws {
        guard rest.starts(with: text.utf8) else {
            throw Malformed(reason: "'\(text)' is missing")
        }
        rest = rest.dropFirst(text.utf8.count)
    }

    private static func line(from rest: inout Data.SubSequence) throws -> String? {
        guard let end = rest.firstRange(of: Data("\r\n".utf8)) else {
            throw Malformed(reason: "a line without an end")
        }
        let line = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
        rest = rest[end.upperBound...]
        return line.isEmpty ? nil : line
    }
}
