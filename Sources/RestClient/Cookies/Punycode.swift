// SPDX-License-Identifier: MIT

/// Writes names outside ASCII in the form in which hosts have them (RFC 3492).
enum Punycode {
    private static let (base, smallest, largest, skew, damp) = (36, 1, 26, 38, 700)
    private static let (firstBias, firstCode) = (72, 128)
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// Returns a host whose labels outside ASCII begin with `xn--`.
    static func host(_ name: some StringProtocol) -> String {
        name.split(separator: ".", omittingEmptySubsequences: false)
            .map { $0.utf8.allSatisfy { $0 < 0x80 } ? String($0) : "xn--" + encode($0) }
            .joined(separator: ".")
    }

    /// Returns the encoded form of a label (RFC 3492, section 6.3).
    static func encode(_ label: some StringProtocol) -> String {
        let codes = label.unicodeScalars.map { Int($0.value) }
        var output = String(String.UnicodeScalarView(label.unicodeScalars.filter(\.isASCII)))
        let plainCount = output.utf8.count
        if plainCount > 0 {
            output += "-"
        }
        var (done, delta, bias) = (plainCount, 0, firstBias)
        var code = firstCode
        while done < codes.count, let next = codes.filter({ $0 >= code }).min() {
            delta += (next - code) * (done + 1)
            code = next
            for other in codes {
                if other < code {
                    delta += 1
                } else if other == code {
                    append(delta, bias, to: &output)
                    bias = adapted(delta, count: done + 1, isFirst: done == plainCount)
                    delta = 0
                    done += 1
                }
            }
            delta += 1
            code += 1
        }
        return output
    }

    /// Appends a number with digits whose weights depend on a bias.
    private static func append(_ number: Int, _ bias: Int, to output: inout String) {
        var rest = number
        var position = base
        while case let threshold = min(max(position - bias, smallest), largest), rest >= threshold {
            output.append(digits[threshold + (rest - threshold) % (base - threshold)])
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digits[rest])
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var rest = isFirst ? delta / damp : delta / 2
        rest += rest / count
        var bias = 0
        while rest > (base - smallest) * largest / 2 {
            rest /= base - smallest
            bias += base
        }
        return bias + (base - smallest + 1) * rest / (rest + skew)
    }
}
