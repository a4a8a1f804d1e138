// SPDX-License-Identifier: MIT

/// Host names and addresses as the URL standard of the WHATWG reads and writes them.
enum WebHost {
    /// The host in the form in which it is compared and sent.
    static func text(_ host: String) throws(WebURL.Defect) -> String {
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), let address = IPv6Text(host.dropFirst().dropLast()) else {
                throw .invalid
            }
            return "[\(address.text)]"
        }
        let name = PercentEncoding.decode(host).lowercased()
        let isAllowed = name.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !forbidden.contains(byte)
        }
        guard !name.isEmpty, isAllowed else {
            throw .invalid
        }
        guard endsInNumber(name) else {
            return name
        }
        guard let address = ipv4(name) else {
            throw .invalid
        }
        return (0..<4).reversed().map { "\(address >> ($0 * 8) & 255)" }.joined(separator: ".")
    }

    private static let forbidden = Set("#/:<>?@[\\]^|%".utf8)

    private static func parts(of name: String) -> [Substring] {
        var parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts.last == "" {
            parts.removeLast()
        }
        return parts
    }

    /// Whether the last label can only be meant as a number, which makes the whole an IPv4 address or nothing.
    private static func endsInNumber(_ name: String) -> Bool {
        guard let last = parts(of: name).last, !last.isEmpty else {
            return false
        }
        return last.utf8.allSatisfy { (0x30...0x39).contains($0) } || (last.hasPrefix("0x") && number(last) != nil)
    }

    private static func ipv4(_ name: String) -> UInt32? {
        let parts = parts(of: name)
        guard parts.count <= 4 else {
            return nil
        }
        var address: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard !part.isEmpty, let number = number(part) else {
                return nil
            }
            let isLast = index == parts.count - 1
            // The last number fills all the bytes that are left.
            let width = isLast ? 8 * (5 - parts.count) : 8
            guard number < 1 << width else {
                return nil
            }
            address = address << width | number
        }
        return UInt32(address)
    }

    /// A number in decimal, in octal after `0`, in hexadecimal after `0x`; too large ones become the largest.
    private static func number(_ text: Substring) -> UInt64? {
        var digits = text
        var radix: UInt64 = 10
        if text.hasPrefix("0x") {
            digits = text.dropFirst(2)
            radix = 16
        } else if text.hasPrefix("0"), text.count > 1 {
            digits = text.dropFirst()
            radix = 8
        }
        var value: UInt64 = 0
        for digit in digits {
            guard let digit = digit.hexDigitValue, digit < radix else {
                return nil
            }
            value = min(value * radix + UInt64(digit), 1 << 40)
        }
        return value
    }
}
