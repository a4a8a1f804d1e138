// SPDX-License-Identifier: MIT

import HTTPTypes

/// A header field whose value is provided before every attempt.
struct HeaderProvider: Sendable {
    let name: HTTPField.Name
    let provide: @Sendable () async throws -> String?

    /// Calls the providers, and sets their values.
    static func apply(_ providers: [HeaderProvider], to headers: inout HTTPFields) async throws {
        for provider in providers {
            let value = try await provider.provide()
            if let value, let error = HeaderCheck.defect(in: value, of: provider.name) {
                throw error
            }
            // By name, a cookie would become several lines, which HTTP/1.1 does not allow (RFC 6265, section 5.4).
            headers.set(provider.name, text: value)
        }
    }
}
