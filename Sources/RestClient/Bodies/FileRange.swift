// SPDX-License-Identifier: MIT

/// A file to send, or a part of one.
public struct FileRange: Sendable, Hashable {
    /// The path of the file.
    public var path: String

    /// The offset of the first byte; zero by default.
    public var offset: Int64

    /// The number of bytes; `nil` for all up to the end of the file, whose length is determined when it is sent.
    public var length: Int64?

    /// Creates a file, or a part of one.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - offset: The offset of the first byte; a negative one counts as zero.
    ///   - length: The number of bytes; all up to the end by default.
    public init(_ path: String, offset: Int64 = 0, length: Int64? = nil) {
        self.path = path
        self.offset = max(0, offset)
        self.length = length.map { max(0, $0) }
    }

    func resolved(_ fileLength: Int64) throws(RestClientError) -> FileRange {
        // The properties may have been set to anything.
        let available = fileLength - max(0, offset)
        guard available >= max(0, length ?? 0) else {
            throw RestClientError(.bodyChanged, "the file '\(name)' has \(fileLength) bytes, fewer than are to be sent")
        }
        return FileRange(path, offset: offset, length: length ?? available)
    }

    var name: String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
