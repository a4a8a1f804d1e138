// SPDX-License-Identifier: MIT

import NIOSSL
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The authorities and the identities that a transport is given.
@Suite(.timeLimit(.minutes(5)))
struct TrustRootTests {
    /// A certificate and its key, which `openssl pkcs12` sealed with the passphrase `s3cret`.
    private static let bundle = """
        MIIEHAIBAzCCA9IGCSqGSIb3DQEHAaCCA8MEggO/MIIDuzCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjRj/KJJKQcEwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEPGc
        8jG+6vsv647377dNkR2AggHwBSVMyHoMsa1D6PE+hsoOGOwkRzBybWW/6ECXevc/yCeRB3lKFBDlZSQLZdkubYK10+bOulpKEmj8
        O2jDrHTHcpV2dxKyg+C8TcahkA9OQRqBKdMiYYdkDLtJlDetCUi2UcRKZKeYa/hrEzOgxQNzlr6uoiCinHSCx33sbsnX7X6TXWQ4
        mCuYqlxwnZjoClOa/5QraxI5VHXPlA9CKINk4ZOrK+E6dkE1hlzN8Cm7Y55xY5gBi5sPaZWT3uWitJhqNFTmuRlsNK60O2iZ26Fr
        6DkuY184oXHj99hkzuam5EoVB1cpx+C2NLr5BqUCFJtRN4fU1nqnT2Z2guZLvc6FLt+F5taFVoY/HyKAUuWiN0tTGhWT/ji0tnwd
        duSpw5hVwELpxb1JFkr0khWA6lrW7ZrsF3bc7bqj81tNSdTlfUBiKz5aJKbDvZvuu8i8ErXkGx5t+uMl+N67v7xps/Ao6rKT1xUm
        oZqjfq717K9XwuSpFl+ao3R8G/hjOWIvrumIamdeXHCdPnibGiuGREwBX8iS9U/Rn9HGy1vLlvEFNGdEUMCRlQFeWJOaJH75Qskl
        3xez82wTCrf1/drHhjja9D/PAWBypKnTQwL1S7ICv1zfE9RYqc6iZeihHL9tuWRPsad32597Ke0ZSSIMC0G18TCCAUEGCSqGSIb3
        DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh76Dbz
        2FdgQAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENJL5zmnyyc7k08bZkuEnOMEgZCzsFEzLbZeaszIzJhiXIe2w22S
        lbuU7iE58E/19rhrSGZZFle/Zj5ye9/nacu+AuKkHato4xUCC9F9ZVKKMyFqYZiMT1TFjVTsAkG+v7Zf3oZT6WsCfyL1cP1zMf6F
        OqYs0NDFbpXC27OHRHUeAe01E/H2CNX5U3zDWft8uFpOge+4mNdAoaPsKxxhqDEn83IxJTAjBgkqhkiG9w0BCRUxFgQU0Zcmqf8A
        n4RadggT1Wls5PNsWmwwQTAxMA0GCWCGSAFlAwQCAQUABCDdnFENadsjDPkyDIfFdS/aN5EtGMyQ5CucNcg0fTMNKwQI71dkLbz9
        1EcCAggA
        """

    @Test
    func `the roots of a file stand for those of the system`() {
        #expect(DirectTransport.Configuration.tls(rootsIn: "/etc/roots.pem").trustRoots == .file("/etc/roots.pem"))
        for none in [nil, ""] {
            #expect(DirectTransport.Configuration.tls(rootsIn: none).trustRoots == .default)
        }
    }

    @Test
    func `own roots are enough without those of the system, and none trust nobody`() async throws {
        let identity = try TestIdentity()
        var connections = DirectTransport.Configuration()
        connections.trustsSystemRoots = false
        var configuration = RestClientManager.Configuration()
        configuration.transport = try DirectTransport(configuration: connections)
        let strict = RestClientManager(configuration: configuration)
        connections.additionalTrustRoots = [identity.certificatePEM]
        configuration.transport = try DirectTransport(configuration: connections)
        let manager = RestClientManager(configuration: configuration)

        try await LoopbackServer.with(.https1(identity)) { server in
            server.onAny { _ in .text("ok") }

            let text = try await manager.request(String.self).url(server.url).send()
            #expect(text == "ok")
            let error = await #expect(throws: RestClientError.self) {
                try await strict.request(String.self).url(server.url).send()
            }
            #expect(error?.code == .tlsFailed)
        }
    }

    @Test(arguments: ["s3cret", "wr0ng", nil])
    func `a file of PKCS 12 is an identity, if its passphrase is right`(passphrase: String?) throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("client.p12")
        try #require(Data(base64Encoded: Self.bundle.filter { $0 != "\n" })).write(to: file)
        var connections = DirectTransport.Configuration()
        let files = ClientCertificateFiles(pkcs12: file.path, passphrase: passphrase)
        connections.clientCertificateFiles = files

        var text = ""
        dump(files, to: &text)
        #expect(text.contains(file.path) && !text.contains("s3cret"))
        guard passphrase != "s3cret" else {
            _ = try DirectTransport(configuration: connections)
            return
        }
        let error = #expect(throws: RestClientError.self) { try DirectTransport(configuration: connections) }
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains(file.path) == true)
        #expect(error?.message.contains("passphrase") == true)
        #expect(error?.message.contains("wr0ng") == false)
    }
}
