// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient
public import Testing

// Checks that record an issue where they stand, and let the test go on; `verify` throws instead.

extension DummyRegistry {
    /// Records an issue unless an endpoint was called as often as expected.
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any when `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server; any by default.
    ///   - matchers: What the requests have to meet besides; nothing by default.
    ///   - times: How often; at least once by default.
    ///   - sourceLocation: Where the issue is shown.
    public func expectCalls(
        _ method: HTTPRequest.Method?,
        _ template: PathTemplate,
        server: ServerAlias? = nil,
        matching matchers: [RequestMatcher] = [],
        times: CallCount = .some,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(sourceLocation) { () throws(RestClientError) in
            try verify(method, template, server: server, matching: matchers, times: times)
        }
    }

    /// Records an issue unless an API operation was called as often as expected.
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - matchers: What the requests have to meet besides; nothing by default.
    ///   - times: How often; at least once by default.
    ///   - sourceLocation: Where the issue is shown.
    public func expectCalls<Model>(
        _ api: APIAlias<Model>,
        matching matchers: [RequestMatcher] = [],
        times: CallCount = .some,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(sourceLocation) { () throws(RestClientError) in try verify(api, matching: matchers, times: times) }
    }

    private func expect(_ location: SourceLocation, _ verify: () throws(RestClientError) -> Void) {
        do throws(RestClientError) {
            try verify()
        } catch {
            Issue.record(Comment(rawValue: error.message), sourceLocation: location)
        }
    }
}
