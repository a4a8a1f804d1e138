// SPDX-License-Identifier: MIT

/// The graph of a run, as its results and its report show it.
protocol GraphOutline: Sendable {
    /// The number of nodes.
    var count: Int { get }

    /// The edges between the nodes.
    var edges: [JobEdge] { get }

    /// Returns the name of a node.
    func name(of node: Int) -> String

    /// Returns the kind of a node.
    func kind(of node: Int) -> JobKind

    /// Returns the labels of a node.
    func tags(of node: Int) -> [String]

    /// Returns true if a handle belongs to the graph.
    func holds<Value>(_ handle: JobHandle<Value>) -> Bool
}
