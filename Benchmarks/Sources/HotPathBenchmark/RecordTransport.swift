// SPDX-License-Identifier: MIT

import BenchmarkSupport
import Foundation
import HTTPTypes
import RestClient

/// Responds to every request at once, with the record that the benchmark's server sends too, or a list of them; it may
/// be stored for a day.
struct RecordTransport: Transport {
    private let body: Data
    private let headers: HTTPFields

    /// Creates a transport that responds with a record, or with a list of so many.
    init(count: Int? = nil) {
        let list = count.map { "[" + Array(repeating: Record.json, count: $0).joined(separator: ",") + "]" }
        body = Data((list ?? Record.json).utf8)
        headers = [
            .contentType: "application/json", .contentLength: String(body.count), .server: "benchmark",
            .eTag: "\"1\"", .cacheControl: "private, max-age=86400", .lastModified: "Fri, 20 Nov 2026 12:34:56 GMT",
        ]
    }

    func send(_ request: TransportRequest) async throws -> RawResponse {
        RawResponse(headers: headers, body: body)
    }
}
