// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import TestSupport

extension StubbedClient {
    /// A client whose server gives the last component of the path back; `/slow…` waits at a gate, `/bad…` is refused.
    ///
    /// - Parameters:
    ///   - gate: Where slow answers wait.
    ///   - refusal: The status of what is refused.
    ///   - configure: Changes the configuration.
    /// - Returns: The client.
    static func echo(
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
    /// A call whose answer is the last component of its path.
    static func echo(_ path: String) -> RequestNode<String> {
        RequestNode(String.self).endpoint("/{path}").parameter("path", path)
    }
}
