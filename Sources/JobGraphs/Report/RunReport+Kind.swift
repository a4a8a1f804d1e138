// SPDX-License-Identifier: MIT

extension RunReport {
    /// The work of a node.
    ///
    /// More kinds may come with later versions; compare with the static members.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name of the kind, which never changes.
        public let rawValue: String

        /// Creates a kind.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the kind.
        public var description: String { rawValue }

        /// Sends a request; the kind of work that another library provides.
        public static let request = Kind(rawValue: "request")
        /// Runs code of the user.
        public static let local = Kind(rawValue: "local")
        /// Runs a graph within the graph.
        public static let graph = Kind(rawValue: "graph")
        /// Runs one node for each element of a collection.
        public static let forEach = Kind(rawValue: "forEach")
        /// Repeats a job until a condition holds.
        public static let poll = Kind(rawValue: "poll")
        /// Runs only when a condition holds.
        public static let condition = Kind(rawValue: "condition")
        /// Replaces a node that failed.
        public static let fallback = Kind(rawValue: "fallback")
        /// Compensates what another node did.
        public static let compensation = Kind(rawValue: "compensation")
    }
}
