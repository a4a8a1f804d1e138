// SPDX-License-Identifier: MIT

public import HTTPTypes

/// A server that requests can be sent to: its address and the header fields that all requests to it share.
///
/// An address without a scheme gets `https`, except a loopback host, which gets `http`. A path in the address is kept
/// in front of every endpoint, with exactly one slash between the two.
///
/// ```swift
/// manager.servers[.store] = "https://api.example.com/v1"
/// manager.servers[.local] = "localhost:8080"              // http://localhost:8080
/// ```
///
/// An address that is no URL is reported when a request is sent to it, and by ``RestClientManager/lint()``.
public struct Server: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The address as it was given.
    public let address: String

    /// The header fields of every request to this server; they yield to the API's and the call's own.
    public var headers: HTTPFields

    /// How calls to this server prove who makes them, where neither call nor API says so; `nil`, the default, stands for
    /// ``RestClientManager/defaultAuthentication``.
    public var authentication: Authentication?

    /// The address taken apart, or what is wrong with it.
    let base: Result<ServerBase, ServerBase.Defect>

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - address: A host with optional scheme (`http` or `https`), port and path.
    ///   - headers: The header fields of every request to this server.
    ///   - authentication: How calls to this server prove who makes them; the manager's default when `nil`.
    public init(_ address: String, headers: HTTPFields = [:], authentication: Authentication? = nil) {
        self.address = address
        self.headers = headers
        self.authentication = authentication
        do throws(ServerBase.Defect) {
            self.base = .success(try ServerBase(parsing: address))
        } catch {
            self.base = .failure(error)
        }
    }

    /// Creates a server from its address as a string literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The address, without the user name and password that it should not hold.
    public var description: String {
        switch base {
        case .success(let base): base.prefix
        case .failure: Redaction.url(address)
        }
    }
}
