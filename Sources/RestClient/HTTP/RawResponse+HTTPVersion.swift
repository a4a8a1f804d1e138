// SPDX-License-Identifier: MIT

extension RawResponse {
    /// The HTTP version of a response on the wire.
    ///
    /// The raw value is the name used in start lines and HAR files.
    public enum HTTPVersion: String, Sendable, Hashable, CustomStringConvertible {
        /// HTTP/1.0 (RFC 1945).
        case http10 = "HTTP/1.0"
        /// HTTP/1.1 (RFC 9112).
        case http11 = "HTTP/1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "HTTP/2"
        /// HTTP/3 (RFC 9114).
        case http3 = "HTTP/3"

        init?(major: Int, minor: Int) {
            switch (major, minor) {
            case (1, 0): self = .http10
            case (1, 1): self = .http11
            case (2, 0): self = .http2
            case (3, 0): self = .http3
            default: return nil
            }
        }

        /// The version as in `HTTP/1.1`.
        public var description: String { rawValue }
    }
}
