// SPDX-License-Identifier: MIT

import RestEssentials

// MARK: - Hosts, by the URL standard of the WHATWG

extension HTTPURL {
    static func canonicalHost(_ host: String) throws(Defect) -> String {
        guard !MarkRun.isExcessive(host) else {
            throw .invalid
        }
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), let pieces = ipv6(host.dropFirst().dropLast()) else {
                throw .invalid
            }
            return "[\(text(ofIPv6: pieces))]"
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

    private static func labels(of name: String) -> [Substring] {
        var parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts.last == "" {
            parts.removeLast()
        }
        return parts
    }

    /// Returns true if the last label can only be a number, so that the host must be an IPv4 address or is invalid.
    private static func endsInNumber(_ name: String) -> Bool {
        guard let last = labels(of: name).last, !last.isEmpty else {
            return false
        }
        return last.utf8.allSatisfy(\.isDigit) || (last.hasPrefix("0x") && number(last) != nil)
    }

    private static func ipv4(_ name: String) -> UInt32? {
        let parts = labels(of: name)
        guard parts.count <= 4 else {
            return nil
        }
        var address: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard !part.isEmpty, let number = number(part) else {
                return nil
            }
            let isLast = index == parts.count - 1
            // The last number fills all the remaining bytes.
            let width = isLast ? 8 * (5 - parts.count) : 8
            guard number < 1 << width else {
                return nil
            }
            address = address << width | number
        }
        return UInt32(address)
    }

    /// Parses a number in decimal, in octal after `0`, or in hexadecimal after `0x`; too large a number becomes the
    /// maximum.
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

// MARK: - IPv6 addresses

extension HTTPURL {
    private static func ipv6(_ text: Substring) -> [UInt16]? {
        guard let bytes = AddressText.bytes(String(text)), bytes.count == 16 else {
            return nil
        }
        return stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }

    /// Returns the shortest form: hexadecimal without leading zeros, with the longest run of zeros omitted (RFC 5952).
    private static func text(ofIPv6 pieces: [UInt16]) -> String {
        var best = 0..<0
        var start = 0
        while start < 8 {
            let end = pieces[start...].firstIndex { $0 != 0 } ?? 8
            if end - start > max(1, best.count) {
                best = start..<end
            }
            start = max(end, start) + 1
        }
        let groups = pieces.map { String($0, radix: 16) }
        guard !best.isEmpty else {
            return groups.joined(separator: ":")
        }
        return groups[..<best.lowerBound].joined(separator: ":") + "::"
            + groups[best.upperBound...].joined(separator: ":")
    }
}
