// SPDX-License-Identifier: MIT

/// Any key, with an integer if its name is one.
package struct SampleKey: CodingKey, Sendable {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = Int(stringValue)
    }

    package init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    /// Names, some of them alike: prefixes of one another, in snake case, canonically equivalent.
    static let names = [
        "a", "b", "id", "name", "value", "super", "firstName", "first_name", "_leading", "trailing_", "two__words",
        "URLValue", "url_value", "myURLProperty", "my_url_property", "1", "2", "-3", "abcdefgh", "abcdefghi",
        "abcdefghj", "a_very_long_key_with_many_words", "aVeryLongKeyWithManyWords", "\u{E9}", "e\u{301}", "K",
        "\u{212A}",
        "", "_", "__", "one_2_three", "one2Three", "HTTP", "x_y_z", "xYZ", "a'b_c'd", "A_B", "snake_Case",
    ]
}
