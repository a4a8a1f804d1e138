// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Compresses the bodies of requests while they are sent, and says so in `Content-Encoding`.
    ///
    /// The server must know the coding; few do. Interceptors and dummies see the body as it is before.
    ///
    /// ```swift
    /// manager.servers[.logs] = Server("https://logs.example.com").compressingBody()
    /// ```
    ///
    /// - Parameter coding: The coding; gzip by default. `nil` takes back what an outer level says.
    /// - Returns: A changed copy.
    public consuming func compressingBody(_ coding: RequestCoding? = .gzip) -> Self {
        options[.requestCoding] = .some(coding)
        return self
    }
}

extension CallOptionKey<RequestCoding?> {
    static var requestCoding: Self { Self("request coding") { $0?.description ?? "none" } }
}
