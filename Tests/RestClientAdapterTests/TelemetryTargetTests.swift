// SPDX-License-Identifier: MIT

import RestClient
import Testing

@Suite
struct TelemetryTargetTests {
    @Test(
        arguments: [
            ("https://API.example.com/a?b=c", "api.example.com", 443), ("http://example.com", "example.com", 80),
            ("http://example.com:8080/", "example.com", 8080), ("https://<redacted>@example.com/", "example.com", 443),
            ("http://[::1]:90/a", "::1", 90), ("http://[::1]/a", "::1", 80),
            ("https://example.com:/", "example.com", 443),
        ] as [(String, String, Int)]
    )
    func `a URL names its server and port`(url: String, address: String, port: Int) throws {
        let target = try #require(TelemetryTarget(url: url))
        #expect(target.address == address)
        #expect(target.port == port)
    }

    @Test(arguments: [
        "", "/a", "https://", "https:///a", "no target", "https://:80", "https://example.com:x/", "ftp://example.com/",
    ])
    func `a text without a server names none`(url: String) {
        #expect(TelemetryTarget(url: url) == nil)
    }

    @Test
    func `errors have few types, without data of a request`() {
        #expect(FailureClass.telemetryType(of: CancellationError()) == "cancelled")
        #expect(FailureClass.telemetryType(of: RestClientError(.timeout, "after 60 s")) == "timeout")
        let refused = RestClientError(.unacceptableStatus, "no", response: RawResponse(status: .notFound))
        #expect(FailureClass.telemetryType(of: refused) == "404")
        #expect(FailureClass.telemetryType(of: OwnError()) == "OwnError")
        #expect(FailureClass.telemetryType(of: Derived(original: refused)) == "404")
        #expect(FailureClass.telemetryType(of: Derived(original: OwnError())) == "Derived")
    }

    @Test
    func `errors of runs have the type of their code`() async throws {
        var graph = JobGraph("two")
        graph.local("same") { 1 }
        graph.local("same") { 1 }

        let error = await #expect(throws: JobGraphError.self) { try await RestClientManager().run(graph) }

        #expect(FailureClass.telemetryType(of: try #require(error)) == "duplicateJobName")
    }

    private struct OwnError: Error {}

    private struct Derived: DerivedError {
        let original: any Error
    }
}
