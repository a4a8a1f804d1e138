// SPDX-License-Identifier: MIT

/// The parts of a file that are there; kept beside it, so that another process can resume the download.
struct DownloadState: Sendable, Hashable, Codable {
    /// The version of this form.
    private(set) var version = 1

    /// The text by which the owner knows where the bytes came from: parts of different files must not be joined.
    let source: String

    /// The strong validator of the file (RFC 9110, section 8.8): an entity tag or a date, as the server wrote it; `nil`
    /// if there is none, so that an interrupted download begins again.
    var validator: String?

    /// The number of bytes of the whole file, if that is known.
    var total: Int64?

    /// The parts that are there.
    var received = ByteRanges()

    /// The server's digest of the whole file.
    var digest: DigestField?

    /// Creates the state of a download that has not begun.
    ///
    /// - Parameter source: The text by which the file is known, as a digest of its URL.
    init(source: String = "") {
        self.source = source
    }

    /// A Boolean value that is true if all bytes are there.
    var isComplete: Bool { total.map { received.prefixCount >= $0 } ?? false }

    /// Returns the state as far as the file beside it bears it out, which may have become shorter or vanished.
    ///
    /// - Parameters:
    ///   - fileLength: The length of the file; zero if there is none.
    ///   - source: The text by which the file is known that is to be downloaded.
    /// - Returns: The state that is left; nothing of it if the bytes are those of another file.
    func limited(to fileLength: Int64, of source: String) -> DownloadState {
        guard version == 1, validator != nil, source == self.source, total ?? 0 >= 0 else {
            return DownloadState(source: source)
        }
        var state = self
        state.received = ByteRanges(
            received.ranges.compactMap { range in
                let range = range.clamped(to: 0..<max(0, min(fileLength, total ?? .max)))
                return range.isEmpty ? nil : range
            }
        )
        return state
    }
}
