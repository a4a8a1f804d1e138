// SPDX-License-Identifier: MIT

import RestEssentials

/// A server that requests can be sent to: its address, and the options that all calls to it share.
///
/// An address without a scheme gets `https`, except a loopback host, which gets `http`. A path in the address precedes
/// every endpoint, with exactly one slash between the two. Set the options of its calls with the methods of
/// ``CallConfigurable``.
///
/// ```swift
/// manager.servers[.store] = Server("https://api.example.com/v1").bearer(session).timeout(.seconds(10))
/// manager.servers[.local] = "localhost:8080"              // http://localhost:8080
/// ```
///
/// An address that is not a valid URL is reported when a request is sent to it, and by ``RestClientManager/lint()``.
public struct Server: CallConfigurable, Sendable, ExpressibleByStringLiteral, MirroredWithOptions {
    /// The address as it was given.
    public let address: String

    /// The options of every call to the server; those of the API and the call override them.
    public var options = CallOptions()

    let base: Result<HTTPURL, HTTPURL.Defect>

    /// The address in canonical form; empty when it is not a valid URL.
    var prefix: String {
        if case .success(let base) = base { base.prefix } else { "" }
    }

    /// Creates a server.
    ///
    /// - Parameter address: A host with optional scheme (`http` or `https`), port and path.
    public init(_ address: String) {
        self.address = address
        do throws(HTTPURL.Defect) {
            self.base = .success(try HTTPURL(server: address))
        } catch {
            self.base = .failure(error)
        }
    }

    /// Creates a server from its address as a string literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The address, without a user name and password, which it should not contain.
    public var description: String {
        switch base {
        case .success(let base): base.prefix
        case .failure: MessageText.of(Redaction.url(address))
        }
    }
}
