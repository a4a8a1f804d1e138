// SPDX-License-Identifier: MIT

/// The value of a field, and its parameters (RFC 9110, section 5.6.6).
struct FieldParameters {
    /// The value, in lower case.
    let value: String
    /// The parameters by their names in lower case; the first of each name.
    private(set) var parameters: [String: String] = [:]

    /// Reads a value; `nil` if a quoted text has no end.
    init?(_ field: some Sequence<UInt8>) {
        var rest = Array(field)[...]
        value = FieldList.token(Self.text(Self.take(&rest) { $0 != UInt8(ascii: ";") }))
        while rest.popFirst() != nil {
            let name = FieldList.token(
                Self.text(Self.take(&rest) { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") })
            )
            guard rest.first == UInt8(ascii: "=") else {
                continue
            }
            rest.removeFirst()
            var content = Self.take(&rest) { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\"") }
            if rest.first == UInt8(ascii: "\"") {
                rest.removeFirst()
                // No backslash escapes anything here: browsers write it as it is (HTML, "Multipart form data").
                content = Self.take(&rest) { $0 != UInt8(ascii: "\"") }
                guard rest.popFirst() != nil else {
                    return nil
                }
                _ = Self.take(&rest) { $0 != UInt8(ascii: ";") }
                parameters[name] = parameters[name] ?? String(decoding: content, as: UTF8.self)
            } else {
                parameters[name] = parameters[name] ?? Self.text(content)
            }
        }
    }

    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(FieldList.trimmed(String(decoding: bytes, as: UTF8.self)[...]))
    }

    private static func take(_ bytes: inout ArraySlice<UInt8>, while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = bytes.prefix(while: fits)
        bytes = bytes[taken.endIndex...]
        return taken
    }
}
