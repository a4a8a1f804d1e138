// SPDX-License-Identifier: MIT

package import HTTPTypes

/// The head of a response as it came, checked, with the places of its parts.
///
/// Most responses are used without a look at their fields, so text is made of them on demand.
package struct HeadBytes: Sendable {
    /// The bytes from the status line to the empty line.
    package let bytes: [UInt8]
    /// The status code, from 100 to 999.
    package let status: Int
    /// True for a response of HTTP/2.
    package let isHTTP2: Bool
    /// The minor version of HTTP/1; 0 for HTTP/2.
    package let minorVersion: Int
    private let reasonRange: Range<Int>
    private let fieldsStart: Int
    private let fieldCount: Int

    /// Takes what was read.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the head alone.
    ///   - reader: The reader of the bytes.
    ///   - start: The place at which the head began in the bytes that were read.
    init(_ bytes: [UInt8], _ reader: HeadReader, from start: Int) {
        self.bytes = bytes
        status = reader.status
        isHTTP2 = false
        minorVersion = reader.minorVersion
        reasonRange = reader.reason.lowerBound - start..<reader.reason.upperBound - start
        fieldsStart = reader.fieldsStart - start
        fieldCount = reader.fieldCount
    }

    /// Takes the fields of a response of HTTP/2, as lines.
    init(fields lines: [UInt8], count: Int, status: Int) {
        bytes = lines
        self.status = status
        isHTTP2 = true
        minorVersion = 0
        reasonRange = 0..<0
        fieldsStart = 0
        fieldCount = count
    }

    /// The reason phrase; empty if there is none.
    package var reason: String { String(decoding: bytes[reasonRange], as: UTF8.self) }

    /// The field lines in order, without white space around their values, whose bytes need not be UTF-8.
    package var fields: HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(fieldCount)
        var start = fieldsStart
        while let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")),
            let end = bytes[colon...].firstIndex(of: UInt8(ascii: "\r"))
        {
            let value = HeadReader.trim(colon + 1..<end, of: bytes.span)
            if let name = HTTPField.Name(String(decoding: bytes[start..<colon], as: UTF8.self)) {
                fields.append(HTTPField(name: name, value: bytes[value]))
            }
            start = end + 2
        }
        return fields
    }

    /// Returns true if the name of a field begins with one of the prefixes, without making text of it.
    ///
    /// - Parameter prefixes: The prefixes, in lower case.
    /// - Returns: True if there is such a field.
    package func hasField(beginningWith prefixes: [[UInt8]]) -> Bool {
        var start = fieldsStart
        while start < bytes.count {
            for prefix in prefixes where start + prefix.count <= bytes.count {
                // Names are tokens, so that only letters differ in this bit from other bytes of a name.
                if prefix.indices.allSatisfy({ bytes[start + $0] | 0x20 == prefix[$0] }) {
                    return true
                }
            }
            while start < bytes.count, bytes[start] != UInt8(ascii: "\n") {
                start += 1
            }
            start += 1
        }
        return false
    }
}
