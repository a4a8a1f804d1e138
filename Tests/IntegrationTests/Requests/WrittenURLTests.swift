// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The target of a request on the wire.
@Suite(.timeLimit(.minutes(5)), .eachSecureTransport)
struct WrittenURLTests {
    /// The protocols of a server.
    enum Form: CaseIterable, Sendable {
        case http1, https1, http2

        func mode(_ identity: TestIdentity) -> LoopbackServer.Mode {
            switch self {
            case .http1: .http1
            case .https1: .https1(identity)
            case .http2: .http2(identity)
            }
        }
    }

    @Test(arguments: Form.allCases)
    func `a whole URL is sent as it is written, whatever its characters are`(form: Form) async throws {
        let characters = (UInt8(0x21)...0x7E).map { String(UnicodeScalar($0)) }.filter { $0 != "#" }
        let all = characters.joined()
        try await LoopbackClient.with(form.mode(try TestIdentity())) { client in
            client.server.onAny { _ in .text("ok") }
            let targets =
                characters.flatMap { ["/a\($0)b", "/a?b\($0)c=\($0)"] }
                + ["/\(all)?\(all)", "/a/../%2e/\\..\\%zz//b", "/echo?runParams={PipelineId:1}&f[]=%5B%7B"]

            for target in targets {
                _ = try await client.manager.request(String.self).url(client.server.url + target).send()
            }

            #expect(client.server.requests.map(\.target) == targets)
        }
    }
}
