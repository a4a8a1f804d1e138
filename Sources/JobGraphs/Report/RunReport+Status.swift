// SPDX-License-Identifier: MIT

extension RunReport {
    /// The status of a node that has ended.
    public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
        /// It ended with a result.
        case success
        /// It ended with a result from the cache.
        case fromCache
        /// Its result was stored by an earlier run.
        case resumed
        /// It ended with an error.
        case failure
        /// Its result was compensated, because the run failed later.
        case compensated
        /// It did not run: a node that it needs did not succeed, or its condition did not hold.
        case skipped
        /// It did not run: the run ended before it could begin.
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

        package var words: String {
            switch self {
            case .success: "succeeded"
            case .fromCache: "from the cache"
            case .resumed: "resumed"
            case .failure: "failed"
            case .compensated: "compensated"
            case .skipped: "skipped"
            case .notRun: "not run"
            case .cancelled: "cancelled"
            }
        }
    }

    /// The source of a result.
    ///
    /// Each kind of work defines its own sources; local work has none.
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
