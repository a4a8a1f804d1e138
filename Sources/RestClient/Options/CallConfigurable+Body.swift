// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Compresses the bodies of requests while they are sent, and sets `Content-Encoding` accordingly.
    ///
    /// The server must support the coding; few do. Interceptors and dummies see the uncompressed body.
    ///
    /// ```swift
    /// manager.servers[.logs] = Server("https://logs.example.com").compressingBody()
    /// ```
    ///
    /// - Parameter coding: The coding; gzip by default. `nil` revokes the setting of an outer level.
    /// - Returns: A changed copy.
    public consuming func compressingBody(_ coding: RequestCoding? = .gzip) -> Self {
        options[.requestCoding] = .some(coding)
        return self
    }
}

extension CallOptionKey<RequestCoding?> {
    static var requestCoding: Self { Self("request coding") { $0?.description ?? "none" } }
}
