// SPDX-License-Identifier: MIT

import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of both commands that concern their transport.
struct TransportOptions {
    private var configuration = AsyncHTTPClientTransport.Configuration()

    init(_ arguments: inout Arguments) throws {
        if let file = try arguments.takeValue("--ca") {
            configuration.additionalTrustRoots = [try Self.text(file)]
        }
        configuration.clientCertificateChain = try arguments.takeValue("--client-cert").map(Self.text)
        configuration.clientPrivateKey = try arguments.takeValue("--client-key").map(Self.text)
        configuration.trustsAnyLoopbackCertificate = arguments.takeFlag("--insecure-localhost")
        configuration.requiresHTTP2 = arguments.takeFlag("--http2-only")
        configuration.asksForCompression = false
        if let name = try arguments.takeValue("--transport"), name != "async-http-client" {
            throw UsageError(text: "there is no transport '\(name)' in this build; 'async-http-client' is")
        }
    }

    func transport() throws -> AsyncHTTPClientTransport {
        try AsyncHTTPClientTransport(configuration: configuration)
    }

    private static func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    }
}
