// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

/// The resolved options of a call: the merged ones, those that are read on every call, and the parts of features.
///
/// A feature reads its own options through an extension of this type in its own folder.
struct CallPolicy: Sendable {
    var options = CallOptions()
    var environment: EnvironmentOrigin?
    var timeout: Duration?
    var acceptedStatuses = StatusSet.successful
    var responseLimit: Int
    var priority = JobPriority.normal
    var dogmaAlias: DogmaAlias
    var reader: any BodyReader
    /// The part of the URL that precedes the path.
    var prefix = ""
    /// The addresses of the registered servers, and that of the call if its server is none of them.
    var addresses: [HTTPURL] = []
    /// True if the URL of the call is one that another server gave.
    var isGiven = false
    var headerProviders: [HeaderProvider] = []
    /// The header field that carries the token of a source; `nil` if the call sends no token.
    var tokenField: HTTPField.Name?
    /// The `Accept` that the dogma sends, if the call has another one because no dogma decodes its body.
    var dogmaAccept: [String]?
    /// The user whose responses the call requests, if an option names one.
    var user: String?
    /// The scope of dummies or of a recording whose states the call uses; `nil` for those outside of such scopes.
    var isolation: CallIsolation?
    /// The origin of the responses: the scope, or the manager's own dummies; `nil` if only servers respond.
    var origin: String?
    /// Separates stored and shared responses of the call from those of other origins and environments.
    var scope: String?
    /// True if the call is part of a token refresh, for which calls that hold worker slots may wait.
    var passesPool = false
    /// True if user code may start further work from inside the call's worker slot.
    var lendsSlot = false
    /// The stages that the call passes besides those that all calls pass.
    var needs: StageNeeds = []
    var isStreamed = false
    var mayPause = false
    var series: SeriesCall?
    var duplicateKey: DuplicateKey?
    var pass: JournalPass?
    private(set) var parts: [any PolicyPart] = []

    func part<Part: PolicyPart>(_ type: Part.Type = Part.self) -> Part? {
        for part in parts {
            if let part = part as? Part {
                return part
            }
        }
        return nil
    }

    mutating func set<Part: PolicyPart>(_ part: Part?) {
        if !parts.isEmpty {
            parts.removeAll { $0 is Part }
        }
        if let part {
            parts.append(part)
        }
    }

    /// The origin of responses that the manager's own dummies may give, outside of scopes.
    static let dummies = "dummies"

    var credentialFields: Set<HTTPField.Name> { options[.credentialFields] ?? [] }

    /// The header fields that contain credentials of the call, whatever their names: those that the user declares, and
    /// the field of the token.
    var secretFields: Set<HTTPField.Name> {
        // The usual field of a token always counts, and most calls declare no other.
        guard let tokenField, !Credentials.contain(tokenField) else {
            return credentialFields
        }
        return credentialFields.union([tokenField])
    }
}

extension CallContext.Facts {
    /// Returns true if the latest request was sent for the user given by the fields of a request, or by its policy.
    ///
    /// It was not if another user's token was set in the meantime, or if an attempt interceptor changed credentials.
    func isOwnerKnown(of headers: HTTPFields, _ policy: CallPolicy) -> Bool {
        guard policy.user == nil else {
            return true
        }
        if let identity = request.identity, let sent = request.sent, !sent.hasUser(of: identity) {
            return false
        }
        guard let wire = request.wire else {
            return true
        }
        let declared = policy.secretFields
        return Credentials.text(of: wire, declared: declared) == Credentials.text(of: headers, declared: declared)
    }
}

extension CallPolicy {
    /// Returns the owner of the response to a request: the user set for the call, otherwise the user of its token,
    /// otherwise all its credentials, among them the token; `nil` if the response is not specific to a user.
    func owner(of headers: HTTPFields, _ credential: SentCredential?) -> String? {
        if let user = user ?? credential?.user {
            return "user:\(user)"
        }
        return Credentials.text(of: headers, declared: secretFields)
    }

    /// Returns true if a response with the given status is delivered as a stream.
    ///
    /// A response on which a stage may act must be complete: failures, redirects and rejected tokens.
    func delivers(_ status: HTTPResponse.Status) -> Bool {
        isStreamed && acceptedStatuses.contains(status) && status != .unauthorized
            && !(300..<400).contains(status.code)
    }

    /// The longest pause between two parts of the response.
    var idleTimeout: Duration? { options[.idleTimeout] ?? (isStreamed && !mayPause ? timeout : nil) }

    /// The maximum size of a streamed body in bytes; unlimited unless a level sets it.
    var streamLimit: Int { options[.responseLimit] ?? .max }
}

extension CallOptionKey<Duration> {
    static var idleTimeout: Self { Self("idle timeout", comparison: .byValue, needs: .wire) { $0.description } }
}

extension CallContext {
    /// The number of bytes that a part of a stream may have, such as a message; unlimited if no level sets a limit.
    package var streamLimit: Int { policy.streamLimit }
}

/// A value that a feature determines once per call and stores with it, such as the source of its token.
///
/// Each feature has its own type of part, by which it finds the value.
protocol PolicyPart: AnyObject, Sendable {
    /// A description of the part if only calls with equal parts may share a request; `nil` otherwise.
    var distinction: String? { get }

    /// Returns where the credential in a header field comes from, as a noun and the level that sets it; `nil` if the
    /// part does not set the field.
    func origin(of field: HTTPField.Name, in options: CallOptions) -> (text: String, level: CallOptions.Level?)?

    /// A sentence about credentials that come behind the interceptors; `nil` if the part sets none there.
    var sentence: String? { get }

    /// Sets what the request that follows a redirect has for its new URL.
    func complete(_ request: inout OutgoingRequest) throws(RestClientError)
}

extension PolicyPart {
    var distinction: String? { nil }

    func origin(of field: HTTPField.Name, in options: CallOptions) -> (text: String, level: CallOptions.Level?)? {
        nil
    }

    var sentence: String? { nil }

    func complete(_ request: inout OutgoingRequest) throws(RestClientError) {}
}
