// SPDX-License-Identifier: MIT

/// A content coding that can be removed (RFC 9110, section 8.4.1).
enum ContentDecoding: String, Sendable, CaseIterable {
    case gzip
    case deflate

    /// Creates a coding by its name, in any case and including old names (RFC 9110, section 8.4.1.3).
    init?(name: some StringProtocol) {
        switch name.lowercased() {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
    }
}
