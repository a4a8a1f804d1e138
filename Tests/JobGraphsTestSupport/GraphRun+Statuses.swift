// SPDX-License-Identifier: MIT

package import JobGraphs

extension GraphRun {
    /// How the nodes ended, in their order.
    package var statuses: [RunReport.Status] { nodes.map(\.status) }

    /// The code of a node's error.
    package func code(of node: String) -> JobGraphError.Code? { (self.node(node)?.error as? JobGraphError)?.code }
}
