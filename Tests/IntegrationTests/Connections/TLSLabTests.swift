// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The folder of a laboratory of good and bad TLS, with its `ca.crt`; `nil` where there is none.
private let folder = ProcessInfo.processInfo.environment["TLS_LAB"]

/// The servers of a laboratory, whose folder `TLS_LAB` names, are accepted or refused as they should be.
@Suite(.timeLimit(.minutes(5)), .enabled(if: folder != nil))
struct TLSLabTests {
    /// The ports of servers that must be accepted.
    static let good = [28_401, 28_402, 28_403, 28_404, 28_405, 28_406]

    /// The ports of servers that must be refused, with a word of the reason.
    static let bad: [Int: String] = [
        28_411: "expired", 28_412: "not valid yet", 28_413: "other hosts", 28_414: "subject alternative name",
        28_415: "other hosts", 28_416: "trusted here", 28_417: "trusted here", 28_418: "trusted here",
        28_419: "trusted here", 28_420: "not for servers", 28_421: "TLS from 1.2 on", 28_422: "TLS from 1.2 on",
        28_423: "SHA-1", 28_424: "1024 bits", 28_426: "does not speak TLS",
    ]

    private static func transport(_ kind: TransportKind) throws -> any Transport {
        let folder = try #require(folder)
        var configuration = DirectTransport.Configuration()
        configuration.additionalTrustRoots = [
            try String(contentsOf: URL(filePath: folder + "/ca.crt"), encoding: .utf8)
        ]
        return try kind.make(configuration)
    }

    private static func request(_ port: Int) -> TransportRequest {
        TransportRequest(method: .get, url: "https://localhost:\(port)/")
    }

    @Test(arguments: TransportKind.overTLS, good)
    func `a good server is accepted`(kind: TransportKind, port: Int) async throws {
        let response = try await Self.transport(kind).send(Self.request(port))
        #expect(response.status.code == 200)
    }

    @Test(arguments: TransportKind.overTLS, bad.keys.sorted())
    func `a bad server is refused, with the reason`(kind: TransportKind, port: Int) async throws {
        let transport = try Self.transport(kind)
        let error = await #expect(throws: RestClientError.self) { try await transport.send(Self.request(port)) }
        #expect(error?.code == .tlsFailed, "\(String(describing: error))")
        let reason = try #require(Self.bad[port])
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: TransportKind.overTLS)
    func `a server that wants a client certificate says so`(kind: TransportKind) async throws {
        let response = try await Self.transport(kind).send(Self.request(28_425))
        #expect(response.status.code == 400)
    }
}
