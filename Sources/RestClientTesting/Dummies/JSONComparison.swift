// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

struct JSONComparison: Sendable {
    struct Difference: CustomStringConvertible, Equatable {
        /// The place as a JSON Pointer (RFC 6901); empty for the whole value.
        let pointer: String
        let wanted: JSONValue?
        let found: JSONValue?

        /// The place, the value found and the wanted one, with the values of secret-looking members masked.
        var description: String {
            let name = pointer.split(separator: "/").last { Int($0) == nil } ?? ""
            let isSecret = Credentials.isSecret(String(name))
            func text(_ value: JSONValue) -> String { isSecret ? Redaction.mask : JSONText.brief(value) }
            let place = pointer.isEmpty ? "" : "\(MessageText.of(pointer, limit: MessageText.partLimit)) "
            return switch (wanted, found) {
            case (let wanted?, let found?): "\(place)is \(text(found)) instead of \(text(wanted))"
            case (let wanted?, nil): "\(place)is missing instead of \(text(wanted))"
            case (nil, let found?): "\(place)is \(text(found)), and must not be there"
            case (nil, nil): place
            }
        }
    }

    /// A place to ignore: the name of a member, or a pointer whose steps may be `*`.
    private enum Exemption: Sendable {
        case name(String)
        case place([String])
    }

    private let exemptions: [Exemption]
    let allowsMoreMembers: Bool

    /// Creates a comparison that ignores the members of these names, or at these JSON Pointers with `*` for any step.
    init(ignoring ignored: [String] = [], allowsMoreMembers: Bool = false) {
        exemptions = ignored.map { text in
            text.hasPrefix("/")
                ? .place(text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(Self.unescape))
                : .name(text)
        }
        self.allowsMoreMembers = allowsMoreMembers
    }

    /// Returns the first difference, with members in the order of their names; `nil` if the values are equal.
    func difference(of found: JSONValue, from wanted: JSONValue) -> Difference? {
        difference(found, wanted, [])
    }

    private func difference(_ found: JSONValue, _ wanted: JSONValue, _ path: [String]) -> Difference? {
        switch (wanted, found) {
        case (.object(let wanted), .object(let found)):
            let names = allowsMoreMembers ? Set(wanted.keys) : Set(wanted.keys).union(found.keys)
            let parts = names.sorted().map { (step: $0, wanted: wanted[$0], found: found[$0]) }
            return difference(below: path, parts)
        case (.array(let wanted), .array(let found)):
            // Written explicitly, because a bare nil would be JSON's null.
            func element(_ index: Int, of elements: [JSONValue]) -> JSONValue? {
                index < elements.count ? .some(elements[index]) : .none
            }
            let parts = (0..<max(found.count, wanted.count))
                .map { (step: String($0), wanted: element($0, of: wanted), found: element($0, of: found)) }
            return difference(below: path, parts)
        default:
            return Self.isEqual(wanted, found) ? nil : difference(at: path, wanted, found)
        }
    }

    private func difference(
        below path: [String],
        _ parts: [(step: String, wanted: JSONValue?, found: JSONValue?)]
    ) -> Difference? {
        for (step, wanted, found) in parts where !isExempt(path + [step]) {
            guard let wanted, let found else {
                return difference(at: path + [step], wanted, found)
            }
            if let difference = difference(found, wanted, path + [step]) {
                return difference
            }
        }
        return nil
    }

    private func difference(at path: [String], _ wanted: JSONValue?, _ found: JSONValue?) -> Difference {
        Difference(pointer: path.map { "/" + Self.escape($0) }.joined(), wanted: wanted, found: found)
    }

    private func isExempt(_ path: [String]) -> Bool {
        exemptions.contains { exemption in
            switch exemption {
            case .name(let name): path.last == name
            case .place(let steps):
                steps.count == path.count && zip(steps, path).allSatisfy { $0 == "*" || $0 == $1 }
            }
        }
    }

    /// Returns true if two values that are not both objects or both arrays are equal; numbers are compared by value.
    private static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        guard let one = left.decimal, let other = right.decimal else {
            return left == right
        }
        return one == other
    }

    private static func escape(_ step: String) -> String {
        step.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    private static func unescape(_ step: Substring) -> String {
        step.replacing("~1", with: "/").replacing("~0", with: "~").description
    }
}
