// SPDX-License-Identifier: MIT

/// Represents the future result of a node of a ``JobGraph``.
///
/// A graph returns a handle for each node that is added. Naming it in `after:` makes an edge and passes the result on,
/// in its own type; after the run ``GraphRun/subscript(_:)`` returns the result.
///
/// A handle belongs to the graph that made it, and to copies of that graph. Using it in any other graph is an error
/// that is reported before anything is sent.
public struct JobHandle<Output: Sendable>: Sendable, Hashable {
    /// The name of the node.
    public let name: String

    let index: Int

    let id: UInt64
}
