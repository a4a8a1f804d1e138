// SPDX-License-Identifier: MIT

/// The options of a download.
public struct DownloadPolicy: Sendable, Hashable {
    /// The maximum number of ranges that are loaded at once; 1 by default.
    ///
    /// A request with an unsafe method (POST, PATCH) has no ranges: it is sent once, for the whole file.
    public var connections = 1

    /// The minimum number of bytes of a range, and the exact number of the first one; 4 MiB by default.
    public var minimumRange: Int64 = 4 << 20

    /// The number of times that the file may change on the server before the download fails; 3 by default.
    public var restartLimit = 3

    /// Creates a policy with the defaults.
    public init() {}
}
