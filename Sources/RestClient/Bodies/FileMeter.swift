// SPDX-License-Identifier: MIT

/// Holds a file to its promised length while it is sent: pure.
///
/// The length stands in `Content-Length`, and in front of what follows in a multipart body: a file that became shorter
/// or longer would shift everything behind it.
struct FileMeter: Sendable {
    private let length: Int64?
    private let name: String
    private(set) var sent: Int64 = 0

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - length: How many bytes are promised; `nil` for any number.
    ///   - name: The words for the source in errors, as in `the file 'a.txt'`.
    init(_ length: Int64?, of name: String) {
        self.length = length
        self.name = name
    }

    /// How many bytes may still be read; `nil` for all.
    var remaining: Int64? { length.map { $0 - sent } }

    /// Takes bytes that were read.
    ///
    /// - Throws: ``RestClientError`` if there are more than were promised.
    mutating func read(_ count: Int) throws(RestClientError) {
        sent += Int64(count)
        if let length, sent > length {
            throw RestClientError(
                .bodyChanged,
                "\(name) became longer than the \(length) bytes that are to be sent"
            )
        }
    }

    /// Takes the end of the file.
    ///
    /// - Throws: ``RestClientError`` if fewer bytes were read than were promised.
    func finish() throws(RestClientError) {
        if let length, sent < length {
            throw RestClientError(
                .bodyChanged,
                "\(name) ended after \(sent) of the \(length) bytes that are to be sent"
            )
        }
    }
}
