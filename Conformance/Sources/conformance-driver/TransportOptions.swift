// SPDX-License-Identifier: MIT

import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of both commands that concern their transport.
struct TransportOptions {
    private(set) var configuration = DirectTransport.Configuration()
    /// The pins of `--tls-pin`, as the library takes them.
    let pins: [String]
    private let name: String

    /// Takes the options; the transport is the direct one unless `--transport` says otherwise.
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
        var pins: [String] = []
        while let pin = try arguments.takeValue("--tls-pin") {
            pins.append(try Self.pin(pin))
        }
        self.pins = pins
    }

    func transport() throws -> any Transport {
        switch name {
        case "direct":
            try ChosenTransport(configuration)
        #if canImport(Darwin)
        case "url-session": URLSessionTransport()
        #else
        // On Linux it would link FoundationNetworking into every run of the driver.
        case "url-session": throw UsageError(text: "--transport url-session is there on Apple platforms only")
        #endif
        default: throw UsageError(text: "--transport is direct or url-session, not '\(name)'")
        }
    }

    /// Returns a pin as the library takes it: the digest may also be in hexadecimal digits, or without its prefix.
    private static func pin(_ text: String) throws -> String {
        guard text.count == 64 else {
            return text.hasPrefix("sha256/") ? text : "sha256/" + text
        }
        var bytes = Data()
        var rest = text[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else {
                throw UsageError(text: "--tls-pin is the SHA-256 digest of a public key, in Base64 or hexadecimal")
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return "sha256/" + bytes.base64EncodedString()
    }

    static func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    }
}
