// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends the requests of a manager over an `HTTPClient` that a program shares with its other libraries.
///
/// The client must not follow redirects (`redirectConfiguration = .disallow`): calls do. Bodies that are not in memory
/// are refused.
struct HTTPClientTransport: Transport {
    let client: HTTPClient

    func send(_ request: TransportRequest) async throws -> RawResponse {
        try await respond(to: request) { response, body in
            let bytes = try await body.collect(upTo: request.responseLimit)
            response.body = Data(bytes.readableBytesView)
        }
    }

    func open(_ request: TransportRequest) async throws -> RawResponse {
        try await respond(to: request) { response, body in
            response.stream = ByteStream(body.map { Data($0.readableBytesView) })
        }
    }

    private func respond(
        to request: TransportRequest,
        _ finish: (inout RawResponse, HTTPClientResponse.Body) async throws -> Void
    ) async throws -> RawResponse {
        guard request.body == nil || request.body?.bytes != nil else {
            throw RestClientError(.bodyNotSupported, "HTTPClientTransport sends bodies in memory only")
        }
        var message = HTTPClientRequest(url: request.url)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headers {
            message.headers.add(name: field.name.rawName, value: field.value)
        }
        message.body = request.body?.bytes.map { .bytes(ByteBuffer(bytes: $0)) }
        do {
            let answer = try await client.execute(
                message,
                timeout: request.timeout.map { TimeAmount($0) } ?? .hours(24)
            )
            var response = RawResponse(status: HTTPResponse.Status(code: Int(answer.status.code)))
            for (name, value) in answer.headers {
                if let name = HTTPField.Name(name) {
                    response.headers.append(HTTPField(name: name, value: value))
                }
            }
            try await finish(&response, answer.body)
            return response
        } catch is NIOTooManyBytesError {
            throw RestClientError(.responseTooLarge, "the body has more than \(request.responseLimit) bytes")
        } catch let error as NIOConnectionError {
            throw RestClientError(.connectionFailed, "no connection could be made", underlying: error)
        } catch let error as HTTPClientError where [.connectTimeout, .deadlineExceeded].contains(error) {
            throw RestClientError(.timeout, "the server did not respond in time", underlying: error)
        } catch let error as HTTPClientError where error != .cancelled {
            throw RestClientError(.connectionClosed, "the exchange failed", underlying: error)
        }
    }
}
