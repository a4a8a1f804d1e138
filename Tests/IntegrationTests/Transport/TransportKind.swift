// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The transports that must keep the contract of ``Transport``, each with the protocol in which it is tested.
enum TransportKind: String, CaseIterable, CustomStringConvertible {
    /// The direct transport, with servers of HTTP/1.1 without TLS.
    case http1 = "HTTP/1.1"
    /// The direct transport, with servers of HTTP/2.
    case http2 = "HTTP/2"
    /// The direct transport that does not offer HTTP/2, with servers of TLS.
    case https1 = "HTTP/1.1 over TLS"
    #if canImport(Darwin) || URLSessionTransport
    case urlSession = "URLSessionTransport"
    #endif

    #if canImport(Darwin) || URLSessionTransport
    static let allCases = ours + [.urlSession]
    /// The transports for tests of HTTP/1.1.
    static let overHTTP1 = [TransportKind.http1, .urlSession]
    /// The transports for servers of TLS.
    static let secure = overTLS + [.urlSession]
    #else
    static let allCases = ours
    static let overHTTP1 = [TransportKind.http1]
    static let secure = overTLS
    #endif

    /// The direct transport with each version of HTTP.
    static let ours: [TransportKind] = [.http1, .http2]

    /// The direct transport for servers of TLS, with HTTP/2 and without.
    static let overTLS: [TransportKind] = [.https1, .http2]

    /// A capability that a test needs and Foundation's `URLSession` lacks.
    enum Need {
        /// Header lines of one name that stay apart: the session joins them with commas.
        case separateLines
        /// Content codings that were applied one upon the other, or that are damaged: libcurl has its own view of them.
        case contentCodings
        /// Responses to HEAD that announce a body: on Linux the session waits for it.
        case headLength
    }

    /// The transports that a test can run on.
    static func having(_ need: Need) -> [TransportKind] {
        ours
    }

    /// The transport of the managers that tests make; ``EachTransport`` chooses another one for a test.
    @TaskLocal static var chosen = TransportKind.http1

    private static let identity = try? TestIdentity()

    /// The protocols of the servers; their certificate is trusted by each transport for them.
    var mode: LoopbackServer.Mode {
        guard let identity = Self.identity else {
            return .http1
        }
        return switch self {
        case .http2: .http2Only(identity)
        case .https1: .https1(identity)
        default: .http1
        }
    }

    /// A transport of its own for one test.
    func make() throws -> any Transport {
        try make(DirectTransport.Configuration())
    }

    /// A transport that gives a busy machine all the time it needs to connect.
    func makePatient(trusting identity: TestIdentity? = nil) throws -> any Transport {
        var configuration = DirectTransport.Configuration()
        configuration.connectTimeout = .seconds(3_600)
        configuration.additionalTrustRoots = identity.map { [$0.certificatePEM] } ?? []
        return try make(configuration)
    }

    /// A transport with a configuration, where there is one.
    func make(_ configuration: DirectTransport.Configuration) throws -> any Transport {
        #if canImport(Darwin) || URLSessionTransport
        if self == .urlSession {
            return URLSessionTransport()
        }
        #endif
        var configuration = configuration
        configuration.additionalTrustRoots += mode.identity.map { [$0.certificatePEM] } ?? []
        if self == .https1 {
            configuration.usesHTTP2 = false
        }
        return try DirectTransport(configuration: configuration)
    }

    var description: String { rawValue }
}

extension TransportRequest {
    /// A request to a path of a server.
    init(_ method: HTTPRequest.Method = .get, _ server: LoopbackServer, _ path: String, body: String? = nil) {
        self.init(method: method, url: server.url + path, body: body.map { .bytes(Data($0.utf8)) })
    }

    /// The same request with a time limit.
    func within(_ timeout: Duration) -> TransportRequest {
        var request = self
        request.timeout = timeout
        return request
    }

    /// The same request with a limit of the response's body.
    func limited(to bytes: Int) -> TransportRequest {
        var request = self
        request.responseLimit = bytes
        return request
    }
}

extension RawResponse {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Runs what must fail with a ``RestClientError``, and gives its code.
func failureCode(_ operation: () async throws -> RawResponse) async throws -> RestClientError.Code? {
    do {
        let response = try await operation()
        Issue.record("answered \(response.status.code) with \(response.body.count) bytes")
        return nil
    } catch let error as RestClientError {
        return error.code
    }
}
