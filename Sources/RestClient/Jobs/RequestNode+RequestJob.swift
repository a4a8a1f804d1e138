// SPDX-License-Identifier: MIT

import JobGraphs

/// Reports and drawings show a node of a graph as a request.
extension RequestNode: RequestJob {
    package var label: String { RequestSummary(of: specification).label }
}
