// SPDX-License-Identifier: MIT

/// The origins allowed for the next page, if the server sends its URL.
public enum PageOrigins: Sendable, Hashable {
    /// Any origin; the rules for whole URLs apply, so another origin receives no token.
    case any
    /// The origin of the previous page; the URL of another origin is an error.
    case same
}
