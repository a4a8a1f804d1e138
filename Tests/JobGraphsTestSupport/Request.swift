// SPDX-License-Identifier: MIT

package import JobGraphs

/// A job that reports and drawings show as a request; it sends nothing.
package struct Request: RequestJob {
    private let result: String

    package init(_ result: String = "") {
        self.result = result
    }

    package var label: String { "request" }

    package func run(in context: JobContext) async throws -> String {
        result
    }
}
