// SPDX-License-Identifier: MIT

/// Where the next page may lie, if the server names its URL.
public enum PageOrigins: Sendable, Hashable {
    /// Anywhere; what is sent there follows the rules of whole URLs, so that another origin gets no token.
    case any
    /// At the origin of the page before it; the URL of another origin is an error.
    case same
}
