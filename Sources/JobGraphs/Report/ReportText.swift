// SPDX-License-Identifier: MIT

import RestEssentials

/// Formats numbers, and texts that may come from a server or a file, for reports.
package enum ReportText {
    /// Returns a duration with three digits and its unit, as in `48.1 ms`.
    package static func duration(_ duration: Duration) -> String {
        let nanoseconds = duration.wholeNanoseconds
        switch nanoseconds.magnitude {
        case ..<1_000: return "\(nanoseconds) ns"
        case ..<999_500: return "\(threeDigits(Double(nanoseconds) / 1_000)) µs"
        case ..<999_500_000: return "\(threeDigits(Double(nanoseconds) / 1_000_000)) ms"
        case ..<59_950_000_000: return "\(threeDigits(Double(nanoseconds) / 1_000_000_000)) s"
        default:
            let seconds = (nanoseconds / 1_000_000_000).magnitude
            let sign = nanoseconds < 0 ? "-" : ""
            return seconds < 3_600
                ? "\(sign)\(seconds / 60) min \(twoDigits(seconds % 60)) s"
                : "\(sign)\(seconds / 3_600) h \(twoDigits(seconds / 60 % 60)) min"
        }
    }

    /// Returns a number of nanoseconds in another unit, exactly, as in `0.000250`; trailing zeros are kept.
    package static func decimal(_ nanoseconds: Int64, digits: Int) -> String {
        let unit = (0..<digits).reduce(UInt64(1)) { unit, _ in unit * 10 }
        let fraction = String(nanoseconds.magnitude % unit)
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(nanoseconds < 0 ? "-" : "")\(nanoseconds.magnitude / unit).\(zeros)\(fraction)"
    }

    /// Returns a share of a whole in percent, with three decimal places.
    package static func percent(_ part: Duration, of whole: Duration) -> String {
        let share = Double(part.wholeNanoseconds) / Double(whole.wholeNanoseconds) * 100_000
        return share.isFinite ? decimal(Int64(max(0, min(100_000, share)).rounded()), digits: 3) : "0.000"
    }

    /// Returns a text escaped for HTML and XML content: characters that XML does not allow become U+FFFD, and others
    /// that do not show as themselves are written as ``MessageText`` does.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case "\r": escaped += "&#13;"
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            case _ where MessageText.isHidden(scalar): escaped += MessageText.of(String(scalar))
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns a text escaped for an attribute in double quotes; line breaks are preserved.
    package static func attribute(_ text: String) -> String {
        escaped(text).replacing("\n", with: "&#10;").replacing("\t", with: "&#9;")
    }

    private static func threeDigits(_ number: Double) -> String {
        let magnitude = number.magnitude
        let scale: Double = magnitude < 9.995 ? 100 : magnitude < 99.95 ? 10 : 1
        let rounded = (number * scale).rounded() / scale
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    private static func twoDigits(_ number: UInt64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
