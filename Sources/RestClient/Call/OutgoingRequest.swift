// SPDX-License-Identifier: MIT

public import HTTPTypes
import JobGraphs

/// A request on its way to the wire, as interceptors see and change it.
public struct OutgoingRequest: Sendable {
    /// The HTTP method.
    public var method: HTTPRequest.Method

    /// The absolute URL, percent-encoded.
    public var url: String

    /// The header fields.
    public var headers: HTTPFields

    /// The body; `nil` when there is none.
    ///
    /// An interceptor that sets it sets the `Content-Type` field as well.
    public var body: RequestBody?

    /// The call that the request belongs to.
    public let call: CallContext

    /// Receives the progress of the bodies; `nil` if nothing follows it.
    var progress: ProgressReporter?

    /// A Boolean value that is true if equal requests can be recognized: they have no body, or its bytes are in memory.
    var isInMemory: Bool { body.map { $0.bytes != nil } ?? true }

    func moved(to call: CallContext) -> OutgoingRequest {
        OutgoingRequest(method: method, url: url, headers: headers, body: body, call: call)
    }
}

extension OutgoingRequest: MirroredByDescription {
    /// The method, the URL and the header fields, with secrets masked.
    public var description: String { Redaction.request(method, url, headersWithoutToken, body: body?.description) }

    /// The header fields, with those masked that contain credentials of the call, whatever their names.
    package var headersWithoutToken: HTTPFields { headers.masking(call.policy.secretFields) }
}

extension HTTPFields {
    func masking(_ names: Set<HTTPField.Name>) -> HTTPFields {
        var masked = self
        for name in names where contains(name) {
            masked[name] = Redaction.mask
        }
        return masked
    }
}

extension OutgoingRequest {
    /// Returns the request with the fields of its call's header providers, within the call's time limit.
    func withProvidedHeaders(_ clock: ClientClock) async throws -> OutgoingRequest {
        let providers = call.policy.headerProviders
        guard !providers.isEmpty else {
            return self
        }
        var request = self
        request.headers = try await clock.limit(to: call) { [headers] in
            var headers = headers
            try await HeaderProvider.apply(providers, to: &headers)
            return headers
        }
        return request
    }
}
