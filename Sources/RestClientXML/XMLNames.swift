// SPDX-License-Identifier: MIT

#if XML

import Foundation
import RestClient

/// Checks what XMLCoder takes for granted of a model: that it has members, and that their names are those of elements.
enum XMLNames {
    static func check(_ model: some Encodable) throws {
        let value: JSONValue
        if let model = model as? JSONValue {
            value = model
        } else {
            // XMLCoder ends the process for a model without members; JSON shows which it has.
            let encoder = JSONEncoder()
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "",
                negativeInfinity: "",
                nan: ""
            )
            value = try JSONText.value(of: try encoder.encode(model))
        }
        switch value {
        case .object, .array: break
        default: throw error(model, "an XML document needs a model with members; this is a single value")
        }
        if let name = firstBadName(in: value) {
            throw error(model, "'\(name.prefix(40))' is not the name of an element")
        }
    }

    /// Returns true if a text can be the name of an element (XML 1.0, section 2.3), in ASCII or with letters of any
    /// script.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isStart(first) else {
            return false
        }
        return text.unicodeScalars.allSatisfy { scalar in
            isStart(scalar) || ("0"..."9").contains(scalar) || scalar == "-" || scalar == "."
        }
    }

    static func error(_ model: some Encodable, _ reason: String) -> EncodingError {
        .invalidValue(model, EncodingError.Context(codingPath: [], debugDescription: reason))
    }

    private static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == ":" || scalar.properties.isAlphabetic
    }

    /// XMLCoder's own name for the text of an element is empty.
    private static func firstBadName(in value: JSONValue) -> String? {
        switch value {
        case .object(let members):
            members.keys.first { !$0.isEmpty && !isName($0) } ?? members.values.lazy.compactMap(firstBadName).first
        case .array(let elements):
            elements.lazy.compactMap(firstBadName).first
        default:
            nil
        }
    }
}

#endif
