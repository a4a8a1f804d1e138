// SPDX-License-Identifier: MIT

import BenchmarkSupport
import Foundation
import HTTPTypes
import RestClient

/// Responds to every request at once, with the record that the benchmark's server sends too; it may be stored for a
/// day.
struct RecordTransport: Transport {
    private static let body = Data(Record.json.utf8)
    private static let headers: HTTPFields = [
        .contentType: "application/json", .contentLength: String(Record.json.utf8.count), .server: "benchmark",
        .eTag: "\"1\"", .cacheControl: "private, max-age=86400", .lastModified: "Fri, 20 Nov 2026 12:34:56 GMT",
    ]

    func send(_ request: TransportRequest) async throws -> RawResponse {
        RawResponse(headers: Self.headers, body: Self.body)
    }
}
