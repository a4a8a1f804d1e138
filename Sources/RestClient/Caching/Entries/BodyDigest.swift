// SPDX-License-Identifier: MIT

import RestEssentials

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
