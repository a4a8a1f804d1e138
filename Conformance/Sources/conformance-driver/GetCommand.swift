// SPDX-License-Identifier: MIT

import RestClient

/// Fetches one URL: the status on standard error, the body on standard output.
struct GetCommand {
    private let manager: RestClientManager
    private let url: String
    private let timeout: Double

    init(_ arguments: inout Arguments) throws {
        guard let url = arguments.takeWord() else {
            throw UsageError(text: "get needs a URL")
        }
        self.url = url
        let text = try arguments.takeValue("--timeout") ?? "30"
        guard let timeout = Double(text), timeout > 0, timeout < 1_000_000 else {
            throw UsageError(text: "--timeout needs a number of seconds, not '\(text)'")
        }
        self.timeout = timeout
        var configuration = RestClientManager.Configuration()
        configuration.transport = try TransportOptions(&arguments).transport()
        try arguments.end()
        manager = RestClientManager(configuration: configuration)
    }

    func run() async throws {
        let response = try await manager.request()
            .url(url)
            .dogma(.raw)
            .accepting(.any)
            .timeout(.seconds(timeout))
            .response()
        Output.error("\(response.status.code)")
        await Output.standard.write(response.body)
    }
}
