// SPDX-License-Identifier: MIT

import TestSupport

/// HTTP/1.1 as text, for tests that look at every byte.
enum RawHTTP {
    /// A GET request after whose response the server closes the connection.
    static func get(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    }

    /// Sends text on a connection of its own and returns everything that comes back until the server closes it.
    static func exchange(with server: LoopbackServer, _ text: String) async throws -> String {
        let connection = try await LoopbackConnection.open(to: server)
        try await connection.send(text)
        return String(decoding: try await connection.receiveToEnd(), as: UTF8.self)
    }
}
