// SPDX-License-Identifier: MIT

/// Makes texts of servers, files and users fit for messages and lines of logs.
///
/// A line break would begin a forged line, an escape sequence would control the terminal, and a scalar that changes the
/// direction of writing or that is invisible would make a text look like another one.
package enum MessageText {
    /// The number of scalars of a whole message.
    package static let messageLimit = 4_000

    /// The number of scalars of a name or a value within a message.
    package static let partLimit = 200

    /// Returns a text on one line, with scalars that do not show as themselves written as in `\u{1B}`.
    ///
    /// It is cut to `limit` scalars. With `keepsLines`, line feeds and tabs stay, for texts that are not printed.
    package static func of(
        _ text: some StringProtocol,
        limit: Int = messageLimit,
        keepsLines: Bool = false
    ) -> String {
        let bytes = text.utf8
        if bytes.count <= limit, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            return String(text)
        }
        var shown = ""
        var rest = limit
        // Scalars, not characters: a combining mark makes another character of what it follows.
        for scalar in text.unicodeScalars {
            guard rest > 0 else {
                return shown + "…"
            }
            rest -= 1
            if isHidden(scalar), !(keepsLines && (scalar == "\n" || scalar == "\t")) {
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    package static func lines(_ texts: some Sequence<String>) -> String {
        texts.map { of($0) }.joined(separator: "\n")
    }

    /// Returns true if a scalar does not show as itself: controls, separators of lines, marks of the direction of
    /// writing, and invisible ones.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F {
            return scalar.value < 0x20
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator:
            return true
        case .format:
            // Scripts and emoji need the joiners, and the signs of numbers and verses in Arabic and other scripts show.
            switch scalar.value {
            case 0x200C, 0x200D, 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD: return false
            default: return true
            }
        case .unassigned:
            return scalar.properties.isNoncharacterCodePoint
        default:
            return scalar == "\u{034F}" || scalar == "\u{115F}" || scalar == "\u{1160}" || scalar == "\u{3164}"
                || scalar == "\u{FFA0}" || scalar == "\u{180F}"
        }
    }
}
