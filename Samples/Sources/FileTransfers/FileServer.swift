// SPDX-License-Identifier: MIT

import Crypto
import Foundation
import RestClient
import RestClientTesting

/// The routes of the server that the transfers talk to.
enum FileServer {
    /// The file that is uploaded and downloaded, 3 MB.
    static let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    /// The number of bytes after which the server interrupts a download that begins at the first byte.
    static let cut = 1_200_000

    /// The number of items in the listing.
    static let itemCount = 1_050

    /// Registers the routes.
    static func serve(on server: LoopbackServer) {
        server.on(.put, "/files/{name}") { request in
            let digest = SHA256.hash(data: Data(request.body)).map(hexadecimal).joined()
            return .json(#"{"size":\#(request.body.count),"sha256":"\#(digest)"}"#)
        }
        server.on(.get, "/files/{name}") { request in file(request) }
        server.on(.get, "/items") { request in items(request) }
        server.on(.get, "/feed") { request in feed(request) }
    }

    /// Returns a byte as two hexadecimal digits.
    static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }

    /// Returns the file from the requested byte on.
    ///
    /// A response that begins at the first byte is cut off.
    private static func file(_ request: LoopbackRequest) -> LoopbackResponse {
        let first = request.headers["Range"]?.dropFirst("bytes=".count).prefix { $0 != "-" }
        let start = min(max(0, first.flatMap { Int($0) } ?? 0), content.count)
        let rest = [UInt8](content[start...])
        var headers: LoopbackHeaders = ["ETag": "\"v1\"", "Content-Length": String(rest.count)]
        guard start > 0 else {
            let sent = Array(rest.prefix(cut))
            return .stream(headers: headers) { writer in try await writer.write(sent) }.ending(.close)
        }
        headers["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)"
        return .stream(status: 206, headers: headers) { writer in try await writer.write(rest) }
    }

    /// Returns the items after the cursor.
    private static func items(_ request: LoopbackRequest) -> LoopbackResponse {
        func number(_ name: String) -> Int? {
            request.queryItems.first { $0.name == name }.flatMap { Int($0.value) }
        }
        let after = min(max(0, number("after") ?? 0), itemCount)
        let last = min(after + min(max(1, number("limit") ?? 100), 100), itemCount)
        let items = (after..<last).map { #"{"id":\#($0 + 1),"name":"item \#($0 + 1)"}"# }.joined(separator: ",")
        return .json(#"{"items":[\#(items)],"next":\#(last < itemCount ? String(last) : "null")}"#)
    }

    /// Returns the three events after the client's last one, and keeps the connection open.
    private static func feed(_ request: LoopbackRequest) -> LoopbackResponse {
        let last = max(0, request.headers["Last-Event-ID"].flatMap { Int($0) } ?? 0)
        let events = (1...3).map { "id: \(last + $0)\ndata: price \(100 + last + $0)\n\n" }.joined()
        // Nobody opens the gate: the response lasts until the client or the server closes the connection.
        return .chunks([.bytes(Array(events.utf8)), .wait(Gate())], headers: ["Content-Type": "text/event-stream"])
    }
}
