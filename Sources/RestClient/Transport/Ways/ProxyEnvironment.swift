// SPDX-License-Identifier: MIT

import HTTPWire
import RestEssentials

/// The variables of an environment that name proxies, read as curl reads them: pure.
struct ProxyEnvironment: Hashable, Sendable {
    /// Those of the process, as they were when they were first needed.
    static let process = ProxyEnvironment(ProcessInfo.processInfo.environment)

    private struct Variable: Hashable {
        let name: String
        let proxy: Result<ProxyServer, ProxyServer.Defect>
    }

    private let http: Variable?
    private let https: Variable?
    private let exceptions: ProxyExceptions

    init(_ variables: [String: String]) {
        /// Returns the first of some variables that is not empty.
        func first(_ names: [String]) -> (name: String, value: String)? {
            names.lazy.compactMap { name in variables[name].map { (name, $0) } }.first { !$0.1.isEmpty }
        }
        func proxy(_ names: [String]) -> Variable? {
            first(names)
                .map { name, value in
                    Variable(name: name, proxy: Result { () throws(ProxyServer.Defect) in try ProxyServer(value) })
                }
        }
        let all = ["all_proxy", "ALL_PROXY"]
        // A CGI program gets the field 'Proxy' of the request that it serves as HTTP_PROXY, from whoever sent it.
        let plain = variables["REQUEST_METHOD"] == nil ? ["http_proxy", "HTTP_PROXY"] : ["http_proxy"]
        http = proxy(plain + all)
        https = proxy(["https_proxy", "HTTPS_PROXY"] + all)
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
        do throws(ProxyServer.Defect) {
            return (try variable.proxy.get().wire, variable.name)
        } catch {
            throw RestClientError(
                .proxyFailed,
                "the proxy that the variable \(variable.name) names cannot be used: \(error.reason); correct it, or go "
                    + "without it by .proxy(.none)"
            )
        }
    }
}
