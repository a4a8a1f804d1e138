// SPDX-License-Identifier: MIT

package enum JobKind: Sendable {
    case input, request, local, job, graph, forEach, poll, condition, fallback
}
