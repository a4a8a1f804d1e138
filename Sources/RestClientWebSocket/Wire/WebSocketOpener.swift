// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RestClient
import Synchronization

/// Makes connections: name, socket, TLS and the opening handshake.
struct WebSocketOpener: Sendable {
    let options: WebSocketOptions
    let pause: ChannelLink.Pause

    /// Sends the request of a handshake.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - transport: The transport of the manager, whose settings hold unless the options say others.
    /// - Returns: The response; one that agrees has the connection as its stream.
    /// - Throws: ``/RestClient/RestClientError``, or `CancellationError` if the task is cancelled.
    func open(_ request: TransportRequest, _ transport: any Transport) async throws -> RawResponse {
        try Task.checkCancellation()
        guard let settings = options.connections ?? (transport as? any ConnectionConfigured)?.connections else {
            throw RestClientError(
                .transportFailed,
                "\(type(of: transport)) cannot open WebSockets; set the connections of .webSocketOptions(_:), which "
                    + "hold the trust and the time limit, or use a dummy"
            )
        }
        let attempt = ConnectionAttempt()
        do {
            let outcome = try await withTaskCancellationHandler {
                try await connect(request, settings, try identity(over: transport), attempt)
            } onCancel: {
                attempt.cancel()
            }
            switch outcome {
            case .response(let response):
                return response
            case .upgraded(let fields, let link):
                var response = RawResponse(status: .switchingProtocols, headers: fields)
                response.stream = ByteStream(link as any ByteSource)
                return response
            }
        } catch {
            throw Task.isCancelled ? CancellationError() : TransportFailure.error(for: error, url: request.url)
        }
    }

    /// Returns the client's identity from files, if there are any.
    private func identity(over transport: any Transport) throws -> ClientIdentity? {
        if let connections = options.connections {
            return try connections.clientIdentity()
        }
        return (transport as? any ConnectionConfigured)?.identity
    }

    private func connect(
        _ request: TransportRequest,
        _ settings: DirectTransport.Configuration,
        _ identity: ClientIdentity?,
        _ attempt: ConnectionAttempt
    ) async throws -> HandshakeHandler.Outcome {
        guard let url = try? HTTPURL(sent: request.url) else {
            throw RestClientError(.invalidURL, "'\(Redaction.url(request.url))' is not a valid request URL")
        }
        try request.checkPins()
        let host = url.bareHost
        let withholdsCertificate = request.withholdsCertificate(by: settings)
        let tls =
            url.scheme == "https"
            ? try Self.tls(settings, identity, withholdsCertificate: withholdsCertificate, host: host) : nil
        let isUnchecked = settings.trustsAnyLoopbackCertificate && HTTPURL.isLoopback(host)
        let terms = tls.map { _ in ServerTerms(checksCertificate: !isUnchecked, pinnedKeys: request.pinnedKeys) }
        let handshake = try HandshakeRequest(request, url, options)
        let limit = min(settings.connectTimeout, request.timeout ?? settings.connectTimeout)
        let timeout = TimeAmount(max(.milliseconds(1), min(limit, HandshakeRequest.longestTime)))
        let connectDeadline = NIODeadline.now() + timeout
        let outcome = try await ClientBootstrap(group: DirectTransport.eventLoops)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: host, port: url.effectivePort) { [options, pause] channel in
                attempt.begin(channel)
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: url.serverName))
                    }
                    let handover = HandoverHandler(interimLimit: settings.interimResponseLimit)
                    let encoder = HTTPRequestEncoder()
                    let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
                    let promise = channel.eventLoop.makePromise(of: HandshakeHandler.Outcome.self)
                    let handler = HandshakeHandler(
                        handshake,
                        options,
                        terms: terms,
                        connectDeadline: connectDeadline,
                        handover: handover,
                        encoder: encoder,
                        decoder: decoder,
                        pause: pause,
                        promise: promise
                    )
                    do {
                        try pipeline.addHandlers([handover, encoder, decoder, handler])
                    } catch {
                        promise.fail(error)
                        throw error
                    }
                    return promise.futureResult
                }
            }
        return try await outcome.get()
    }

    private static func tls(
        _ settings: DirectTransport.Configuration,
        _ identity: ClientIdentity?,
        withholdsCertificate: Bool,
        host: String
    ) throws -> NIOSSLContext {
        var configuration = try settings.tlsConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        identity?.apply(to: &configuration)
        if withholdsCertificate {
            configuration.certificateChain = []
            configuration.privateKey = nil
        }
        if settings.trustsAnyLoopbackCertificate, HTTPURL.isLoopback(host) {
            configuration.certificateVerification = .none
        }
        return try NIOSSLContext(configuration: configuration)
    }
}

/// The channels that are tried for one connection, so that cancelling closes them.
///
/// There may be one for each address of a host. Any of them may be the first one to be connected.
final class ConnectionAttempt: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Takes a channel that is about to be connected; after ``cancel()``, closes it.
    func begin(_ channel: any Channel) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled {
                state.channels.append(channel)
            }
            return state.isCancelled
        }
        if isCancelled {
            channel.close(promise: nil)
        }
    }

    /// Closes all channels, and those that are still to come.
    func cancel() {
        let channels = state.withLock { state in
            state.isCancelled = true
            defer { state.channels = [] }
            return state.channels
        }
        for channel in channels {
            channel.close(promise: nil)
        }
    }
}
