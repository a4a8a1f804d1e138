// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The transports that must keep the contract of ``Transport``.
enum TransportKind: String, CaseIterable, CustomStringConvertible {
    case direct = "DirectTransport"
    /// The direct transport, which speaks HTTP/2 to servers of TLS, without it.
    case directOnly = "DirectTransport without HTTP/2"
    case asyncHTTPClient = "AsyncHTTPClientTransport"
    #if canImport(Darwin) || URLSessionTransport
    case urlSession = "URLSessionTransport"
    #endif

    #if canImport(Darwin) || URLSessionTransport
    static let allCases = ours + [.urlSession]
    #else
    static let allCases = ours
    #endif

    /// The transports for servers of TLS.
    static let secure = [.directOnly] + allCases

    /// A capability that a test needs and Foundation's `URLSession` lacks.
    enum Need {
        /// Header lines of one name that stay apart: the session joins them with commas.
        case separateLines
        /// Telling failures apart: on Linux the session has one error for a response that is no HTTP, one that is cut
        /// and much else, and ends the process for some.
        case exactFailures
        /// Content codings that were applied one upon the other, or that are damaged: libcurl has its own view of them.
        case contentCodings
        /// Responses to HEAD that announce a body: on Linux the session waits for it.
        case headLength
    }

    /// The transports that a test can run on.
    static func having(_ need: Need) -> [TransportKind] {
        ours
    }

    /// The transport of tests that are not about transports, and of the managers that they make.
    ///
    /// `INTEGRATION_TRANSPORT=AsyncHTTPClientTransport` chooses another one for a run, ``EachTransport`` for a test.
    @TaskLocal static var chosen =
        ProcessInfo.processInfo.environment["INTEGRATION_TRANSPORT"].flatMap(TransportKind.init) ?? .direct

    /// The transports over SwiftNIO, which share a configuration and keep their promises alike.
    static let ours: [TransportKind] = [.direct, .asyncHTTPClient]

    /// A transport of its own for one test.
    func make() throws -> any Transport {
        try make(AsyncHTTPClientTransport.Configuration())
    }

    /// A transport that gives a busy machine all the time it needs to connect.
    func makePatient(trusting identity: TestIdentity? = nil) throws -> any Transport {
        var configuration = AsyncHTTPClientTransport.Configuration()
        configuration.connectTimeout = .seconds(3_600)
        configuration.additionalTrustRoots = identity.map { [$0.certificatePEM] } ?? []
        return try make(configuration)
    }

    /// A transport with a configuration, where there is one.
    func make(_ configuration: AsyncHTTPClientTransport.Configuration) throws -> any Transport {
        switch self {
        case .direct: try DirectTransport(configuration: configuration)
        case .directOnly: try DirectTransport(configuration: Self.withoutHTTP2(configuration))
        case .asyncHTTPClient: try AsyncHTTPClientTransport(configuration: configuration)
        #if canImport(Darwin) || URLSessionTransport
        case .urlSession: URLSessionTransport()
        #endif
        }
    }

    private static func withoutHTTP2(
        _ configuration: AsyncHTTPClientTransport.Configuration
    ) -> AsyncHTTPClientTransport.Configuration {
        var configuration = configuration
        configuration.usesHTTP2 = false
        return configuration
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
