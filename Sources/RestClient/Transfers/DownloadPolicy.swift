// SPDX-License-Identifier: MIT

/// How a file is downloaded.
public struct DownloadPolicy: Sendable, Hashable {
    /// How many ranges are loaded at once; 1 by default.
    public var connections = 1

    /// How many bytes a range has at least, and the first one exactly; 4 MiB by default.
    public var minimumRange: Int64 = 4 << 20

    /// How often the file may change on the server before the download fails; 3 by default.
    public var restartLimit = 3

    /// Creates the policy of the defaults.
    public init() {}
}
