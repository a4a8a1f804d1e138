// SPDX-License-Identifier: MIT

import HTTPTypes

extension RequestSpecification {
    /// Returns the options of a provider's call, whose interceptors cannot send it elsewhere; it fails if the method,
    /// the field `Host` or a fallback makes it another operation.
    ///
    /// The options of outer levels are the manager's, and may do so.
    func confinedOptions(to target: ResolvedTarget) throws(RestClientError) -> CallOptions {
        func refusal(_ cause: String) -> RestClientError {
            TargetResolver.notExposed(target.apiName, because: cause)
        }
        if let method, let own = target.api?.value.method, method != own {
            throw refusal("has the method \(method.rawValue) instead of \(own.rawValue)")
        }
        var options = options
        if let host = OutgoingRequest.hostField, options[.headers]?.contains(host) == true {
            throw refusal("the field Host names another one")
        }
        for case .server(let alias) in options[.fallback]?.fallbacks.map(\.step) ?? [] {
            throw refusal("it falls back to \(AliasText.named("server", alias.rawValue))")
        }
        for key in [CallOptionKey<InterceptorList>.callInterceptors, .attemptInterceptors] {
            if let list = options[key] {
                options[key] = InterceptorList(
                    interceptors: list.interceptors.map {
                        ConfinedInterceptor(base: $0, refusal: refusal("an interceptor changed its target"))
                    }
                )
            }
        }
        return options
    }
}

extension RequestNode {
    /// Returns the node of a provider: it fails when it is sent to anything but its operation.
    consuming func confined() -> Self {
        specification.target.confine()
        return self
    }
}
