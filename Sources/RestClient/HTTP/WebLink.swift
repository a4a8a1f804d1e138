// SPDX-License-Identifier: MIT

public import HTTPTypes

/// A link from a response to another resource, from the header field `Link` (RFC 8288).
///
/// ```swift
/// response.links.first { $0.hasRelation("next") }?.target
/// ```
public struct WebLink: Sendable, Hashable {
    /// A parameter of a link, its name in lower case.
    package struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        package var name: String
        /// The value, without quotes; empty if there is none.
        package var value: String
    }

    /// The target as it is written: a URL, possibly relative to that of the response.
    public var target: String

    /// The relation types in lower case, as in `next`.
    public var relations: [String]

    /// The URL that the link describes, if it is not the response's; possibly relative to it.
    package var anchor: String?

    /// The other parameters in order; values with a character set (`title*`) replace those without.
    package var parameters: [Parameter]

    package init(target: String, relations: [String], anchor: String? = nil, parameters: [Parameter] = []) {
        self.target = target
        self.relations = relations.map { $0.lowercased() }
        self.anchor = anchor
        self.parameters = parameters
    }

    /// Returns the value of a parameter, as in `title`.
    ///
    /// - Parameter name: The name in lower case.
    /// - Returns: The first value; `nil` if there is none.
    public func value(of name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Returns true if the link has a relation type, regardless of case.
    ///
    /// - Parameter type: The relation type, as in `next`.
    /// - Returns: True if the link has this type.
    public func hasRelation(_ type: String) -> Bool {
        relations.contains(type.lowercased())
    }
}

extension HTTPField.Name {
    /// The field `Link` (RFC 8288), which HTTPTypes does not name.
    public static let link = Self("Link") ?? .location
}
