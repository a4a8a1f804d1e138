// SPDX-License-Identifier: MIT

/// An IPv6 address as it stands between the brackets of a URL.
struct IPv6Text: Hashable {
    private let pieces: [UInt16]

    /// Reads an address: eight groups, of which a run of zeros may be left out once, and the last two of which may be an IPv4
    /// address.
    init?(_ text: some StringProtocol) {
        let halves = Self.halves(of: String(text))
        guard let head = halves.first.flatMap(Self.pieces), halves.count <= 2 else {
            return nil
        }
        if halves.count == 1 {
            guard head.count == 8 else {
                return nil
            }
            pieces = head
        } else {
            // An IPv4 address may stand at the very end only.
            guard !halves[0].contains("."), let tail = Self.pieces(of: halves[1]), head.count + tail.count < 8 else {
                return nil
            }
            pieces = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        }
    }

    /// The shortest form: hexadecimal without leading zeros, the longest run of zeros left out (RFC 5952).
    var text: String {
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

    private static func halves(of text: String) -> [String] {
        var halves = [""]
        var rest = text[...]
        while let first = rest.first {
            if rest.hasPrefix("::") {
                halves.append("")
                rest = rest.dropFirst(2)
            } else {
                halves[halves.count - 1].append(first)
                rest = rest.dropFirst()
            }
        }
        return halves
    }

    private static func pieces(of text: String) -> [UInt16]? {
        guard !text.isEmpty else {
            return []
        }
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        var pieces: [UInt16] = []
        for (index, group) in groups.enumerated() {
            if group.contains(".") {
                guard index == groups.count - 1, let address = ipv4(group) else {
                    return nil
                }
                pieces += address
            } else {
                guard (1...4).contains(group.utf8.count), group.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                    let piece = UInt16(group, radix: 16)
                else {
                    return nil
                }
                pieces.append(piece)
            }
        }
        return pieces.count <= 8 ? pieces : nil
    }

    private static func ipv4(_ text: Substring) -> [UInt16]? {
        let octets = text.split(separator: ".", omittingEmptySubsequences: false)
        let values = octets.compactMap { octet -> UInt16? in
            let isPlain = !octet.isEmpty && octet.utf8.allSatisfy { (0x30...0x39).contains($0) }
            let hasLeadingZero = octet.count > 1 && octet.hasPrefix("0")
            return isPlain && !hasLeadingZero ? UInt8(octet).map(UInt16.init) : nil
        }
        return octets.count == 4 && values.count == 4
            ? [values[0] << 8 | values[1], values[2] << 8 | values[3]] : nil
    }
}
