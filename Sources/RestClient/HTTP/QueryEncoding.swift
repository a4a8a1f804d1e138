// SPDX-License-Identifier: MIT

/// The way in which values are encoded as items of a query or a form body.
///
/// All characters of names and values except the unreserved ones of RFC 3986 are percent-encoded, so that `&`, `=`, `+`
/// and spaces arrive intact regardless of the server's parser.
public struct QueryEncoding: Sendable, Hashable {
    /// The form of a list.
    public enum ListStyle: Sendable, Hashable {
        /// One item for each element under the same name: `k=1&k=2`.
        case repeated
        /// One item for each element with brackets: `k[]=1&k[]=2`.
        case brackets
        /// One item with the elements separated by commas: `k=1,2`; a list that contains lists or objects is
        /// ``repeated``.
        case commas
    }

    /// The form of a Boolean.
    public enum BoolStyle: Sendable, Hashable {
        /// The words `true` and `false`.
        case words
        /// The digits `1` and `0`.
        case digits
    }

    /// The form of lists; ``ListStyle/repeated`` by default.
    public var lists: ListStyle

    /// The form of Booleans; ``BoolStyle/words`` by default.
    public var bools: BoolStyle

    /// Creates an encoding.
    ///
    /// - Parameters:
    ///   - lists: The form of lists.
    ///   - bools: The form of Booleans.
    public init(lists: ListStyle = .repeated, bools: BoolStyle = .words) {
        self.lists = lists
        self.bools = bools
    }

    /// Returns the items as one text without a leading question mark; null values are omitted.
    ///
    /// Members of an object become `name[member]`, in the order of their names.
    package func encode(_ items: some Sequence<(name: String, value: JSONValue)>) -> String {
        var output = ""
        for item in items {
            append(item.value, name: PercentEncoding.encode(item.name), to: &output)
        }
        return output
    }

    private func append(_ value: JSONValue, name: String, to output: inout String) {
        switch value {
        case .null:
            break
        case .array(let elements):
            let present = elements.filter { $0 != .null }
            if lists == .commas, present.allSatisfy({ $0.scalarText != nil }) {
                let texts = present.map { PercentEncoding.encode(text(of: $0)) }
                if !texts.isEmpty {
                    appendItem(name, texts.joined(separator: ","), to: &output)
                }
            } else {
                let elementName = lists == .brackets ? name + "%5B%5D" : name
                for element in present {
                    append(element, name: elementName, to: &output)
                }
            }
        case .object(let members):
            for (member, value) in members.inOrder {
                append(value, name: "\(name)%5B\(PercentEncoding.encode(member))%5D", to: &output)
            }
        default:
            appendItem(name, PercentEncoding.encode(text(of: value)), to: &output)
        }
    }

    private func text(of value: JSONValue) -> String {
        if case .bool(let value) = value, bools == .digits {
            return value ? "1" : "0"
        }
        return value.scalarText ?? ""
    }

    private func appendItem(_ name: String, _ value: String, to output: inout String) {
        if !output.isEmpty {
            output += "&"
        }
        output += name
        output += "="
        output += value
    }
}
