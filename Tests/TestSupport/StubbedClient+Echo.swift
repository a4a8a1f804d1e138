// SPDX-License-Identifier: MIT

package import ConcurrencyTesting
package import HTTPTypes
package import RestClient

extension StubbedClient {
    /// Returns a client whose server responds with the last component of the path; `/slow…` waits at a gate, `/bad…` is
    /// refused.
    ///
    /// - Parameters:
    ///   - gate: The gate at which slow responses wait.
    ///   - refusal: The status of refused requests.
    ///   - configure: Changes the configuration.
    /// - Returns: The client.
    package static func echo(
        slowAt gate: Gate = Gate(),
        refusal: HTTPResponse.Status = .conflict,
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) -> StubbedClient {
        let transport = StubTransport { request in
            let name = request.url.split(separator: "/").last ?? ""
            if name.hasPrefix("slow") {
                try await gate.wait()
            }
            return name.hasPrefix("bad") ? .status(refusal) : .text(String(name))
        }
        return StubbedClient(transport, configure: configure)
    }
}

extension RequestNode<String> {
    /// A call whose response is the last component of its path.
    package static func echo(_ path: String) -> RequestNode<String> {
        RequestNode(String.self).endpoint("/{path}").parameter("path", path)
    }
}
