// SPDX-License-Identifier: MIT

/// A file that is sent, or a part of one.
public struct FileRange: Sendable, Hashable {
    /// The path of the file.
    public var path: String

    /// Where it begins; zero by default.
    public var offset: Int64

    /// How many bytes there are; `nil` for all up to the end of the file, whose length is asked for when it is sent.
    public var length: Int64?

    /// Creates a file, or a part of one.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - offset: Where it begins; below zero counts as zero.
    ///   - length: How many bytes there are; all up to the end by default.
    public init(_ path: String, offset: Int64 = 0, length: Int64? = nil) {
        self.path = path
        self.offset = max(0, offset)
        self.length = length.map { max(0, $0) }
    }

    /// Returns the range with its length, once the length of the file is known.
    ///
    /// - Parameter fileLength: The length of the whole file.
    /// - Returns: The range.
    /// - Throws: ``RestClientError`` if the file is shorter than the range.
    func resolved(_ fileLength: Int64) throws(RestClientError) -> FileRange {
        let available = fileLength - offset
        guard available >= length ?? 0 else {
            throw RestClientError(
                .bodyChanged,
                "the file '\(name)' has \(fileLength) bytes, fewer than are to be sent"
            )
        }
        return FileRange(path, offset: offset, length: length ?? available)
    }

    /// The last component of the path.
    var name: String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
