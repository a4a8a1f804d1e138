// SPDX-License-Identifier: MIT

package import JobGraphs
package import RestEssentials

extension RestClientError: WorkError {
    package var detail: (any WorkDetail)? { RequestDetail(self) }

    package func failure(now: Date) -> AttemptFailure {
        AttemptFailure(of: self, at: now)
    }
}
