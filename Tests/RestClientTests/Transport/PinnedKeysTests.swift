// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient

/// Pins as options: their texts, their levels, and what lint says of them.
@Suite
struct PinnedKeysTests {
    private static let first = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let second = "sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="
    private static let third = "sha256/CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCA="

    @Test(arguments: [
        "", "sha256/", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/AAAA",
        "SHA256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        // The last character has bits that belong to no byte.
        "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=",
        "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= ",
        "sha256/ÄAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "pin-sha256=\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"",
    ])
    func `a text that is no pin fails the call`(text: String) async throws {
        let client = StubbedClient(answering: .status(.ok))

        let error = await client.failure { $0.endpoint("/a").pinnedKeys([Self.first, text]) }

        #expect(error?.code == .invalidPin)
        #expect(error?.message.contains("RFC 7469") == true)
        #expect(client.requests.isEmpty)
    }

    @Test(arguments: ["", "https://api.example.com", "api.example.com/v1", "api.example.com:8443", "a b", "u@h"])
    func `a text that is no host fails the call`(host: String) async throws {
        let client = StubbedClient(answering: .status(.ok))

        let error = await client.failure { $0.endpoint("/a").pinnedKeys([Self.first], of: host) }

        #expect(error?.code == .invalidServerAddress)
    }

    @Test
    func `the nearest level decides on a host, and hosts add up`() {
        let manager = CallOptions().pinnedKeys([Self.first]).pinnedKeys([Self.first], of: "a.example")
            .pinnedKeys([Self.second], of: "B.example")
        let server = CallOptions().pinnedKeys([Self.third], of: "b.example")
        let call = CallOptions().pinnedKeys([])

        let both = manager.overlaid(with: server, at: .server)[.pinnedKeys]
        let all = manager.overlaid(with: server, at: .server).overlaid(with: call, at: .call)[.pinnedKeys]

        #expect(both?.pins(of: "c.example", isOwn: true) == [Self.first])
        #expect(both?.pins(of: "c.example", isOwn: false) == [])
        #expect(both?.pins(of: "a.example", isOwn: true) == [Self.first])
        #expect(both?.pins(of: "b.example", isOwn: false) == [Self.third])
        #expect(all?.pins(of: "c.example", isOwn: true) == [])
        #expect(all?.pins(of: "a.example", isOwn: true) == [Self.first])
    }

    @Test(arguments: [
        ("api.example.com", "https://api.example.com./a", true),
        ("api.example.com.", "https://api.example.com/a", true),
        ("API.Example.Com", "https://api.example.com.:443/a", true),
        ("api.example.com", "https://api.example.com../a", false),
        ("[::1]", "https://[0:0::1]/a", true), ("127.0.0.1", "https://0x7f.1./a", true),
        ("example.com", "https://api.example.com/a", false),
    ])
    func `a host is the same one in all its spellings`(host: String, url: String, isPinned: Bool) async {
        let client = StubbedClient(answering: .redirect(307, to: url), .status(.ok))
        client.manager.servers["store"] = Server("https://other.example").pinnedKeys([Self.first], of: host)

        let error = await client.failure {
            isPinned ? $0.endpoint("/a") : $0.endpoint("/a").accepting([.found]).redirects(.refuse)
        }

        #expect((error?.code == .tlsFailed) == isPinned)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a transport that checks no pins gets no request with pins, and dummies respond all the same`() async throws {
        let client = StubbedClient(answering: .status(.ok))

        let error = await client.failure { $0.endpoint("/a").pinnedKeys([Self.first, Self.second]) }

        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("does not check pinned keys") == true)
        #expect(client.requests.isEmpty)

        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        let pinned = client.manager.request(Void.self).endpoint("/a").pinnedKeys([Self.first, Self.second])
        try await client.manager.run(pinned)
    }

    @Test
    func `lint asks for a key in reserve`() async {
        let manager = RestClientManager()
        manager.servers["store"] = Server("https://api.example.com").pinnedKeys([Self.first])
        manager.servers["auth"] = Server("https://auth.example.com").pinnedKeys([Self.first, Self.second])
        manager.options = manager.options.pinnedKeys([Self.first], of: "cdn.example.com")

        let issues = await manager.lint()

        #expect(issues.map(\.kind) == [.missingBackupPin, .missingBackupPin])
        #expect(issues.first?.message.contains("the manager pins a single public key for 'cdn.example.com'") == true)
        #expect(issues.last?.message.contains("the server 'store'") == true)
    }
}
