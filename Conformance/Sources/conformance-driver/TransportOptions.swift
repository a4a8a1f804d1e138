// SPDX-License-Identifier: MIT

import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of both commands that concern their transport.
struct TransportOptions {
    private(set) var configuration = AsyncHTTPClientTransport.Configuration()
    private let name: String

    /// Takes the options; the transport is the direct one unless `--transport async-http-client` says otherwise.
    init(_ arguments: inout Arguments) throws {
        name = try arguments.takeValue("--transport") ?? "direct"
        if let file = try arguments.takeValue("--ca") {
            configuration.additionalTrustRoots = [try Self.text(file)]
        }
        configuration.clientCertificateChain = try arguments.takeValue("--client-cert").map(Self.text)
        configuration.clientPrivateKey = try arguments.takeValue("--client-key").map(Self.text)
        configuration.trustsAnyLoopbackCertificate = arguments.takeFlag("--insecure-localhost")
        configuration.requiresHTTP2 = arguments.takeFlag("--http2-only")
        configuration.asksForCompression = false
    }

    func transport() throws -> any Transport {
        switch name {
        case "direct":
            // Without HTTP/2 its first request to a server of TLS is its own, which is what is looked at here.
            try DirectTransport(configuration: configuration.requiresHTTP2 ? configuration : withoutHTTP2)
        case "async-http-client": try AsyncHTTPClientTransport(configuration: configuration)
        default: throw UsageError(text: "--transport is direct or async-http-client, not '\(name)'")
        }
    }

    private var withoutHTTP2: AsyncHTTPClientTransport.Configuration {
        var configuration = configuration
        configuration.usesHTTP2 = false
        return configuration
    }

    private static func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    }
}
