// SPDX-License-Identifier: MIT

/// The parts of a file that are there; kept beside it, so that another process can resume the download.
struct DownloadState: Sendable, Hashable, Codable {
    private(set) var version = 1

    /// The text by which the owner knows where the bytes came from: parts of different files must not be joined.
    let source: String

    /// The strong validator of the file (RFC 9110, section 8.8): an entity tag or a date, as the server wrote it; `nil`
    /// if there is none, so that an interrupted download begins again.
    var validator: String?

    var total: Int64?

    var received = ByteRanges()

    var digest: DigestField?

    init(source: String = "") {
        self.source = source
    }

    var isComplete: Bool { total.map { received.prefixCount >= $0 } ?? false }

    /// Returns the state as far as the file beside it bears it out, which may have become shorter or vanished.
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
