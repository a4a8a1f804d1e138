// SPDX-License-Identifier: MIT

/// The kind of the node, as shown in drawings and reports.
package enum JobKind: Sendable {
    case input, request, local, job, graph, forEach, poll, condition, fallback
}
