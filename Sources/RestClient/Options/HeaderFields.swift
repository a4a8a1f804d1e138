// SPDX-License-Identifier: MIT

import HTTPTypes

/// The header fields that a level sets: fixed ones, and ones with a provider that is called before every attempt.
struct HeaderFields: Sendable {
    var fields: HTTPFields = [:]
    var providers: [HeaderProvider] = []
    var isEmpty: Bool { fields.isEmpty && providers.isEmpty }
    var names: Set<HTTPField.Name> { Set(fields.map(\.name)).union(providers.map(\.name)) }

    mutating func remove(_ names: Set<HTTPField.Name>) {
        providers.removeAll { names.contains($0.name) }
        for name in names {
            fields[name] = nil
        }
    }

    func contains(_ name: HTTPField.Name) -> Bool {
        fields.contains(name) || providers.contains { $0.name == name }
    }

    mutating func set(_ name: HTTPField.Name, _ value: String) {
        providers.removeAll { $0.name == name }
        fields.set(name, text: value)
    }

    mutating func set(_ provider: HeaderProvider) {
        fields[provider.name] = nil
        providers.removeAll { $0.name == provider.name }
        providers.append(provider)
    }

    mutating func override(with inner: HeaderFields) {
        fields.override(with: inner.fields)
        if !providers.isEmpty {
            providers.removeAll { inner.contains($0.name) }
        }
        for provider in inner.providers {
            set(provider)
        }
    }
}

extension HTTPFields {
    /// Replaces the fields of every name that the other ones have.
    mutating func override(with other: HTTPFields) {
        if other.isEmpty {
            return
        }
        if isEmpty {
            self = other
            return
        }
        for field in other where contains(field.name) {
            self[field.name] = nil
        }
        append(contentsOf: other)
    }
}

extension CallOptionKey<HeaderFields> {
    static var headers: Self {
        Self(
            "header fields",
            join: { outer, inner in
                var fields = outer
                fields.override(with: inner)
                return fields
            },
            describe: { headers in
                (headers.fields.map(\.name.rawName) + headers.providers.map(\.name.rawName)).joined(separator: ", ")
            }
        )
    }
}

struct HeaderProvider: Sendable {
    let name: HTTPField.Name
    let provide: @Sendable () async throws -> String?

    static func apply(_ providers: [HeaderProvider], to headers: inout HTTPFields) async throws {
        for provider in providers {
            let value = try await provider.provide()
            if let value, let error = HeaderCheck.defect(in: value, of: provider.name) {
                throw error
            }
            // By name, a cookie would become several lines, which HTTP/1.1 does not allow (RFC 6265, section 5.4).
            headers.set(provider.name, text: value)
        }
    }
}
