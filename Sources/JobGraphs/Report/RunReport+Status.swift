// SPDX-License-Identifier: MIT

extension RunReport {
    /// The status of a node that has ended.
    public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
        /// With a result.
        case success
        /// With a result that the cache held.
        case fromCache
        /// With the result that an earlier run had kept.
        case resumed
        /// With an error.
        case failure
        /// With a result that was undone, because the run failed later.
        case compensated
        /// Not at all: a node that it needs did not succeed, or its condition did not hold.
        case skipped
        /// Not at all: the run ended before its turn came.
        case notRun
        /// It was cancelled.
        case cancelled

        /// A Boolean value that indicates whether the node has a result.
        public var isSuccess: Bool {
            switch self {
            case .success, .fromCache, .resumed: true
            case .failure, .compensated, .skipped, .notRun, .cancelled: false
            }
        }

        /// The status in words.
        package var words: String {
            switch self {
            case .success: "succeeded"
            case .fromCache: "from the cache"
            case .resumed: "resumed"
            case .failure: "failed"
            case .compensated: "undone"
            case .skipped: "skipped"
            case .notRun: "not run"
            case .cancelled: "cancelled"
            }
        }
    }

    /// The source of a result.
    ///
    /// Work says its own sources; local work has none.
    public struct Source: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name of the source, which never changes.
        public let rawValue: String

        /// Creates a source.
        ///
        /// - Parameter rawValue: The name of the source.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the source.
        public var description: String { rawValue }
    }
}
