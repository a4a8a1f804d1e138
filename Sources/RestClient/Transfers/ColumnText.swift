// SPDX-License-Identifier: MIT

import RestEssentials

enum ColumnText {
    static func width(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Returns a text without control characters, cut to some columns; a cut one ends in `…`.
    static func fitted(_ text: String, to columns: Int) -> String {
        // An escape sequence in a file's name must not reach the terminal, nor may what turns the direction of writing.
        let text = String(String.UnicodeScalarView(text.unicodeScalars.filter { !MessageText.isHidden($0) }))
        guard width(text) > columns else {
            return text
        }
        guard columns > 0 else {
            return ""
        }
        var output = ""
        var used = 1
        for character in text {
            used += width(character)
            guard used <= columns else {
                break
            }
            output.append(character)
        }
        return output + "…"
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else {
            return 0
        }
        if character.unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }) {
            return 2
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x2_0000...0x3_FFFD:
            return 2
        default:
            return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
