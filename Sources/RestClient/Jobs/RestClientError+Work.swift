// SPDX-License-Identifier: MIT

package import JobGraphs
package import RestEssentials

extension RestClientError: WorkError {
    package var detail: (any WorkDetail)? { RequestDetail(self) }

    package mutating func setNode(_ node: String) {
        parts.node = node
    }

    package func failure(now: Date) -> AttemptFailure {
        AttemptFailure(of: self, at: now)
    }
}
