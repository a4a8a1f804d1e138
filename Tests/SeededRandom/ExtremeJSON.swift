// SPDX-License-Identifier: MIT

/// Texts of JSON with values that no honest program writes.
public enum ExtremeJSON {
    /// The values: of other types, at the ends of the numbers, and of texts that are no dates, names or bytes.
    public static let values = [
        "null", "true", "0", "-0.0", "-1", "0.5", "1e308", "-1e308", "1e-320", "2147483648", "9223372036854775807",
        "-9223372036854775808", "18446744073709551615", "99999999999999999999999", "\"\"", #""NaN""#, #""inf""#,
        #""\u0000\r\n\u202e""#, #""9999-12-31T23:59:59.999Z""#, #""0001-01-01T00:00:00Z""#, #""T.5""#, "[]", "[[[]]]",
        "[-9223372036854775808,9223372036854775807]", "[0,9223372036854775807]",
        "[0,1,-9223372036854775808,9223372036854775807]", "{}", #"{"a":1,"a":2}"#,
        "\"" + String(repeating: "a", count: 20_000) + "\"",
    ]

    /// Returns the text without its marks.
    ///
    /// - Parameter marked: A text with a section sign on either side of some of its values.
    /// - Returns: The text.
    public static func plain(_ marked: String) -> String {
        marked.split(separator: "§", omittingEmptySubsequences: false).joined()
    }

    /// Returns the text with each of the marked values replaced by each of the extreme ones.
    ///
    /// - Parameter marked: A text with a section sign on either side of some of its values.
    /// - Returns: One text for each place and value.
    public static func variants(of marked: String) -> [String] {
        let parts = marked.split(separator: "§", omittingEmptySubsequences: false).map(String.init)
        return stride(from: 1, to: parts.count, by: 2)
            .flatMap { place in
                values.map { value in
                    var variant = parts
                    variant[place] = value
                    return variant.joined()
                }
            }
    }

    /// Returns the text several times, each time with some of its marked values replaced by extreme ones.
    ///
    /// - Parameters:
    ///   - marked: A text with a section sign on either side of some of its values.
    ///   - count: The number of texts.
    ///   - seed: The seed of the choice.
    /// - Returns: The texts.
    public static func mixtures(of marked: String, count: Int, seed: UInt64) -> [String] {
        let parts = marked.split(separator: "§", omittingEmptySubsequences: false).map(String.init)
        var generator = SeededGenerator(seed: seed)
        return (0..<count)
            .map { _ in
                parts.enumerated()
                    .map { place, part in
                        place.isMultiple(of: 2) || Int.random(in: 0..<4, using: &generator) > 0
                            ? part : values.randomElement(using: &generator) ?? part
                    }
                    .joined()
            }
    }
}
