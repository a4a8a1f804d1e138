// SPDX-License-Identifier: MIT

import JobGraphs

/// The policy of a call besides its request: limits, cache, redirects, priority, header providers.
struct CallPolicy: Sendable {
    /// The options in force, merged from all levels.
    var options = CallOptions()
    /// The environment that the call was resolved in; `nil` for none.
    var environment: EnvironmentOrigin?
    /// When the call must have ended, on the manager's clock; `nil` for never.
    var deadline: Duration?
    var timeout: Duration?
    var cache: CachePolicy
    var cachePartition: String?
    var cacheTags: Set<String>
    /// The stored responses that a success of the call invalidates.
    var invalidates: [CacheSelection] = []
    /// True or false if an option says that equal calls may share the request, or may not.
    var sharesFlight: Bool?
    var acceptedStatuses: StatusSet
    var responseLimit: Int
    var redirects: RedirectPolicy
    var priority: JobPriority
    var dogmaAlias: DogmaAlias
    /// Decodes bodies as the call does.
    var reader: any BodyReader
    /// The part of the URL in front of the path, to tell the path apart again.
    var prefix: String
    var headerProviders: [HeaderProvider]
    /// How the call proves who makes it; `nil` when it sends no token of a source.
    var authentication: AuthenticationScheme?
    /// True if the call is part of a token refresh, for which calls that hold worker slots may wait.
    var passesPool = false
    /// The lookup of dummies; `nil` if none may respond.
    var dummies: DummyLookup?
    /// Keeps what the call stores, and with whom it shares a request, within its scope of dummies or of a fixture.
    var scopePartition: String?
    /// The pass of an unsafe request of a run with a journal; `nil` for every other request.
    var pass: JournalPass?

    /// The header fields that the user declares as credentials.
    var credentialFields: Set<HTTPField.Name> { options[.credentialFields] ?? [] }

    /// Returns true if a field may follow a redirect to another origin: credentials may not, nor may what belongs to a
    /// server.
    func crossesOrigins(_ name: HTTPField.Name) -> Bool {
        guard name != authentication?.field, !Credentials.contain(name, declared: credentialFields) else {
            return false
        }
        return !options.contributions(to: .headers).contains { $0.level == .server && $0.value.contains(name) }
    }

    /// True if equal calls share one request though there is no cache.
    var sharesUncached: Bool { sharesFlight == true && cache.mode == .networkOnly }
}
