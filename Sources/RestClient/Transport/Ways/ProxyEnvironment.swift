// SPDX-License-Identifier: MIT

import HTTPWire
import RestEssentials

/// The variables of an environment that name proxies, read as curl reads them: pure.
struct ProxyEnvironment: Hashable, Sendable {
    /// Those of the process, as they were when they were first needed.
    static let process = ProxyEnvironment(ProcessInfo.processInfo.environment)

    private struct Variable: Hashable {
        let name: String
        let value: String
    }

    private let http: Variable?
    private let https: Variable?
    private let exceptions: ProxyExceptions

    init(_ variables: [String: String]) {
        /// Returns the first of some variables that is not empty.
        func first(_ names: [String]) -> Variable? {
            for name in names {
                if let value = variables[name], !value.isEmpty {
                    return Variable(name: name, value: value)
                }
            }
            return nil
        }
        let all = ["all_proxy", "ALL_PROXY"]
        // A CGI program gets the field 'Proxy' of the request that it serves as HTTP_PROXY, from whoever sent it.
        let plain = variables["REQUEST_METHOD"] == nil ? ["http_proxy", "HTTP_PROXY"] : ["http_proxy"]
        http = first(plain + all)
        https = first(["https_proxy", "HTTPS_PROXY"] + all)
        exceptions = ProxyExceptions(first(["no_proxy", "NO_PROXY"])?.value ?? "")
    }

    /// A Boolean value that is true if no variable names a proxy.
    var isEmpty: Bool { http == nil && https == nil }

    /// Returns the proxy for a URL and the variable that names it; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - coversLoopback: True if this machine is reached through the proxy too.
    /// - Returns: The proxy, and the name of the variable.
    /// - Throws: ``RestClientError`` if the variable is needed and cannot be used.
    func proxy(
        for url: HTTPURL,
        coversLoopback: Bool
    ) throws(RestClientError) -> (proxy: WireProxy, variable: String)? {
        guard let variable = url.scheme == "https" ? https : http, coversLoopback || !HTTPURL.isLoopback(url.host),
            !exceptions.contains(url.host, port: url.effectivePort)
        else {
            return nil
        }
        do {
            return (try ProxyServer(variable.value).wire, variable.name)
        } catch {
            throw RestClientError(
                .proxyFailed,
                "the proxy that the variable \(variable.name) names cannot be used: \(error.reason); correct it, or go "
                    + "without it by .proxy(.none)"
            )
        }
    }
}
