// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient
public import Testing

extension DummyRegistry {
    /// Records an issue unless an endpoint was called as often as expected.
    ///
    /// The test continues; `verify` throws instead.
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any if `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server; any by default.
    ///   - matchers: The conditions that the requests must meet; none by default.
    ///   - times: The expected number; at least one by default.
    ///   - sourceLocation: The location of the issue.
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

    /// Records an issue unless an API was called as often as expected.
    ///
    /// The test continues; `verify` throws instead.
    ///
    /// - Parameters:
    ///   - api: The alias of the API.
    ///   - matchers: The conditions that the requests must meet; none by default.
    ///   - times: The expected number; at least one by default.
    ///   - sourceLocation: The location of the issue.
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
