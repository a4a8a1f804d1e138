// SPDX-License-Identifier: MIT

/// What a manager's configuration says for calls that do not say it themselves.
struct CallSettings: Sendable {
    let timeout: Duration?
    let responseLimit: Int
    let redirects: RedirectPolicy
    let queryEncoding: QueryEncoding
    let cachePolicy: CachePolicy

    init(_ configuration: RestClientManager.Configuration) {
        timeout = configuration.timeout
        responseLimit = configuration.responseLimit
        redirects = configuration.redirects
        queryEncoding = configuration.queryEncoding
        cachePolicy = configuration.cachePolicy
    }
}
