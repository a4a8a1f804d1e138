// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sets the interceptor that sees each request as it goes to the transport or to a dummy, behind all other stages;
    /// `nil` for none, whatever an outer level says.
    package consuming func wireObserver(_ observer: (any Interceptor)?) -> Self {
        option(.wireObserver, observer)
    }
}

extension CallOptionKey<(any Interceptor)?> {
    static var wireObserver: Self {
        Self("wire log", needs: .wireObserver) { observer in observer.map { "\($0)" } ?? "none" }
    }
}

/// Passes each exchange to the observer of the innermost level.
struct WireObserverStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard let observer = request.call.options[.wireObserver] ?? nil else {
            return try await next(request)
        }
        return try await observer.intercept(request, next: next)
    }
}
