// SPDX-License-Identifier: MIT

import HTTPTypes

/// The request fields by which a server selected a response (RFC 9111, section 4.1), with their values, which are
/// normalized, so that equivalent requests select the same response; those of credentials are digests.
struct SelectingFields: Sendable, Hashable {
    /// A field's name in lower case and its value in normal form; `nil` if the request has no such field.
    struct Field: Sendable, Hashable {
        let name: String
        let value: String?
    }

    let fields: [Field]

    init(_ fields: [Field]) {
        self.fields = fields
    }

    /// Creates the selecting fields of a request; the names are in lower case and in order.
    init(
        _ names: [String],
        of headers: HTTPFields,
        secrets: Set<HTTPField.Name> = [],
        digest: (String) -> String
    ) {
        fields = names.map { name in
            guard let field = HTTPField.Name(name), case let lines = headers.texts(field), !lines.isEmpty else {
                return Field(name: name, value: nil)
            }
            let value = Self.normalized(lines, of: name)
            let isSecret = Credentials.contain(field, declared: secrets) || Redaction.text(value) != value
            return Field(name: name, value: isSecret ? digest(value) : value)
        }
    }

    var names: [String] { fields.map(\.name) }

    /// Returns the names that a response varies by, in lower case and in order; `nil` for `*`, because only the server
    /// knows by what such a response varies.
    static func names(variedBy headers: HTTPFields) -> [String]? {
        let lines = headers[values: .vary]
        guard !lines.isEmpty else {
            return []
        }
        var names: Set<String> = []
        for element in FieldList.elements(of: lines) {
            // What is not ASCII names no field; only the server knows what it means.
            let name = FieldList.token(element)
            guard name != "*", !name.isEmpty else {
                return nil
            }
            names.insert(name)
        }
        return names.sorted()
    }

    // MARK: - Normal form

    /// The fields whose elements are preferences, whose order has no meaning (RFC 9110, section 12.5).
    private static let preferences: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]

    /// Returns all lines as one, without white space around commas; preferences in lower case and sorted by weight.
    static func normalized(_ lines: [String], of name: String) -> String {
        let elements = FieldList.elements(of: lines)
        guard preferences.contains(name) else {
            return elements.joined(separator: ",")
        }
        return elements.map(Preference.init)
            .sorted { ($1.weight, $0.text) < ($0.weight, $1.text) }
            .map { $0.weight == 1_000 ? $0.text : "\($0.text);q=\($0.weight)" }
            .joined(separator: ",")
    }

    private struct Preference {
        let text: String
        /// The weight in thousandths.
        let weight: Int

        init(_ element: Substring) {
            var weight = 1_000
            var parts: [String] = []
            for part in element.lowercased().utf8.split(separator: UInt8(ascii: ";")) {
                let part = FieldList.trimmed(Substring(part))
                if part.utf8.starts(with: "q=".utf8) {
                    let number = Double(Substring(part.utf8.dropFirst(2))) ?? 1
                    // NaN counts as zero.
                    weight = Int((Double.minimum(1, .maximum(0, number)) * 1_000).rounded())
                } else {
                    parts.append(String(part))
                }
            }
            text = parts.joined(separator: ";")
            self.weight = weight
        }
    }
}
