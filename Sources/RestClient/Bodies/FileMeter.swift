// SPDX-License-Identifier: MIT

/// Ensures that a file keeps its promised length while it is sent: a pure value.
///
/// The length is in `Content-Length`, and precedes the following parts of a multipart body: a file that became shorter
/// or longer would shift everything after it.
struct FileMeter: Sendable {
    private let length: Int64?
    private let name: String
    private(set) var sent: Int64 = 0

    /// Creates a meter; `name` is that of the source in errors, as in `the file 'a.txt'`.
    init(_ length: Int64?, of name: String) {
        self.length = length
        self.name = name
    }

    /// The number of bytes that may still be read; `nil` for all.
    var remaining: Int64? { length.map { $0 - sent } }

    mutating func read(_ count: Int) throws(RestClientError) {
        sent += Int64(count)
        if let length, sent > length {
            throw RestClientError(
                .bodyChanged,
                "\(name) became longer than the \(length) bytes that are to be sent"
            )
        }
    }

    func finish() throws(RestClientError) {
        if let length, sent < length {
            throw RestClientError(
                .bodyChanged,
                "\(name) ended after \(sent) of the \(length) bytes that are to be sent"
            )
        }
    }
}
