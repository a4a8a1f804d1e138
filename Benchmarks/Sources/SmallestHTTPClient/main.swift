// SPDX-License-Identifier: MIT

// The smallest program on AsyncHTTPClient: it makes a client, and requests the URL that it is given, if any.

import AsyncHTTPClient
import NIOCore

let client = HTTPClient.shared
if let url = CommandLine.arguments.dropFirst().first {
    let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
    let body = try await response.body.collect(upTo: 1 << 20)
    precondition(body.readableBytes > 0)
}
withExtendedLifetime(client) {}
