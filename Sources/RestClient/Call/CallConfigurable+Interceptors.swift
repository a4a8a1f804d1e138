// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Adds interceptors that see each call once, before the cache lookup.
    ///
    /// Those of outer levels come first.
    ///
    /// - Parameter interceptors: The interceptors, in order.
    /// - Returns: A changed copy.
    public consuming func interceptors(_ interceptors: any Interceptor...) -> Self {
        options[.callInterceptors, default: InterceptorList()].interceptors += interceptors
        return self
    }

    /// Adds interceptors that see each attempt on the wire, while a worker slot is held.
    ///
    /// Those of outer levels come first.
    ///
    /// - Parameter interceptors: The interceptors, in order.
    /// - Returns: A changed copy.
    public consuming func attemptInterceptors(_ interceptors: any Interceptor...) -> Self {
        options[.attemptInterceptors, default: InterceptorList()].interceptors += interceptors
        return self
    }
}

struct InterceptorList: Sendable {
    var interceptors: [any Interceptor] = []
}

extension CallOptionKey<InterceptorList> {
    static var callInterceptors: Self { list("call interceptors") }

    static var attemptInterceptors: Self { list("attempt interceptors") }

    private static func typeName(of interceptor: any Interceptor) -> String {
        "\(type(of: (interceptor as? ConfinedInterceptor)?.base ?? interceptor))"
    }

    private static func list(_ name: String) -> Self {
        Self(
            name,
            join: { InterceptorList(interceptors: $0.interceptors + $1.interceptors) },
            needs: .interceptors,
            describe: { $0.interceptors.map { typeName(of: $0) }.joined(separator: ", ") }
        )
    }
}

extension CallContext {
    /// The options in force for the call.
    public var options: CallOptions { policy.options }
}
