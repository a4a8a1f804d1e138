// SPDX-License-Identifier: MIT

import RestClient

/// The members that an object of a line may have, and those of the objects in them.
struct Members {
    let names: Set<String>
    let nested: [String: Members]

    init(_ names: Set<String>, nested: [String: Members] = [:]) {
        self.names = names
        self.nested = nested
    }
}

extension JSONValue {
    /// Refuses an object that asks for something this driver does not know.
    ///
    /// A member that is null or false asks for nothing.
    func refuse(beyond known: Members) throws(UnsupportedField) {
        switch self {
        case .array(let elements):
            for element in elements {
                try element.refuse(beyond: known)
            }
        case .object(let members):
            for (name, value) in members where value != .null && value != false {
                guard known.names.contains(name) else {
                    throw UnsupportedField(name: name)
                }
                if let inner = known.nested[name] {
                    try value.refuse(beyond: inner)
                }
            }
        default:
            break
        }
    }
}

/// A member of a line, or a value of it, that this driver does not know.
struct UnsupportedField: Error, CustomStringConvertible {
    let name: String

    /// The text that suites look for; the name goes to standard error.
    var description: String { "unsupported: field" }
}

/// An error in a line of input.
struct WireError: Error, CustomStringConvertible {
    let text: String

    var description: String { text }
}
