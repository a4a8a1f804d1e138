// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOHTTP1
import RestClient

/// The request of an opening handshake.
struct HandshakeRequest: Sendable {
    let url: String
    let authority: String
    let key: String
    let head: HTTPRequestHead
    let timeout: TimeAmount?
    let responseLimit: Int

    /// A year: instants are too far away to be represented when they are centuries ahead.
    static let longestTime = Duration.seconds(365 * 86_400)

    init(_ request: TransportRequest, _ url: HTTPURL, _ options: WebSocketOptions) throws(RestClientError) {
        self.url = request.url
        authority = url.authority
        key = HandshakeRules.makeKey()
        let fields = try HandshakeRules.fields(
            request.headers,
            key: key,
            offered: options.subprotocols,
            offersCompression: options.offersCompression
        )
        var headers = HTTPHeaders()
        // A request has one host (RFC 9112, section 3.2).
        let hosts = fields.filter { $0.name.canonicalName == "host" }
        headers.add(name: "Host", value: hosts.first?.value ?? url.authority)
        for field in fields where field.name.canonicalName != "host" {
            headers.add(name: field.name.rawName, value: field.value)
        }
        head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.target, headers: headers)
        timeout = request.timeout.map { TimeAmount(min($0, Self.longestTime)) }
        responseLimit = request.responseLimit
    }
}
