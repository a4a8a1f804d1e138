// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension CacheKey {
    /// Creates the key of a request whose header fields are complete, separate from those of other users.
    ///
    /// The owner is its explicit partition, otherwise the user of its token, otherwise its credentials.
    init(
        _ method: HTTPRequest.Method,
        _ request: OutgoingRequest,
        as credential: SentCredential? = nil,
        secret: CacheSecret
    ) {
        let policy = request.call.policy
        let credential = credential ?? request.call.facts.request.identity
        var owner = policy.owner(of: request.headers, credential)
        if let scope = policy.scope {
            owner = "\(scope)\n\(owner ?? "")"
        }
        if let secrets = policy.cache.keyedSecrets(of: request.url) {
            owner = "query \(secrets)\n\(owner ?? "")"
        }
        self.init(
            method: method,
            url: policy.cache.keyedURL(request.url),
            body: method == .get && request.method != .get ? Data() : BodyDigest.input(request),
            dogma: policy.dogmaAlias,
            varying: Self.varying.map { name, key in
                SelectingFields.normalized(Self.values(of: name, request), of: key)
            },
            partition: owner.map(secret.digest),
            own: policy.cache.keyParts
        )
    }

    /// Returns the values of a field, except that all models of one dogma share their stored responses.
    private static func values(of name: HTTPField.Name, _ request: OutgoingRequest) -> [String] {
        let values = request.headers.texts(name)
        return name == .accept && values == ["*/*"] ? request.call.policy.dogmaAccept ?? values : values
    }

    /// The fields by which responses of one URL commonly differ, even if the server does not declare it.
    private static let varying: [(name: HTTPField.Name, key: String)] = [
        (.accept, "accept"), (.acceptLanguage, "accept-language"),
    ]
}

enum BodyDigest {
    static func input(_ request: OutgoingRequest) -> Data {
        guard let body = request.body?.bytes else {
            return Data()
        }
        guard let ignored = request.call.policy.cache.bodyKey, !ignored.isEmpty else {
            return body
        }
        return input(body, ignoring: ignored)
    }

    static func input(_ body: Data, ignoring ignored: Set<String>) -> Data {
        guard let value = try? JSONText.value(of: body) else {
            return body
        }
        let paths = ignored.map { $0.split(separator: ".").map(String.init) }
        return (try? JSONText.data(of: value.removing(paths))) ?? body
    }
}

extension JSONValue {
    /// Returns the value without the members at the paths; a path is applied to each element of a list.
    fileprivate func removing(_ paths: [[String]]) -> JSONValue {
        switch self {
        case .object(var members):
            for (name, member) in members {
                let inner = paths.filter { $0.first == name }
                if inner.contains(where: { $0.count == 1 }) {
                    members[name] = nil
                } else if !inner.isEmpty {
                    members[name] = member.removing(inner.map { Array($0.dropFirst()) })
                }
            }
            return .object(members)
        case .array(let elements):
            return .array(elements.map { $0.removing(paths) })
        default:
            return self
        }
    }
}
