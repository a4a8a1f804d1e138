// SPDX-License-Identifier: MIT

/// Stands for the result of a node of a ``JobGraph``, before there is one.
///
/// A graph gives a handle for each node that is added. Naming it in `after:` makes an edge and hands the result on, in
/// its own type; after the run ``GraphRun/subscript(_:)`` gives the result.
///
/// A handle belongs to the graph that made it, and to copies of that graph. In any other graph it is an error, which is
/// found before anything is sent.
public struct JobHandle<Output: Sendable>: Sendable, Hashable {
    /// The name of the node.
    public let name: String

    /// The place of the node in its graph.
    let index: Int

    /// A number that no other node of this process has.
    let id: UInt64
}
