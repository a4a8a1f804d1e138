// SPDX-License-Identifier: MIT

import RestEssentials

/// The hosts that are reached without a proxy, as `NO_PROXY` lists them: pure.
///
/// An item is `*`, a name, which stands for those below it too, an address, or a range of addresses (`10.0.0.0/8`);
/// names and addresses may have a port. An item that means nothing is passed over.
struct ProxyExceptions: Hashable, Sendable {
    private enum Item: Hashable {
        case all
        case name(String, port: Int?)
        case address([UInt8], port: Int?)
        case range([UInt8], bits: Int)
    }

    private let items: [Item]

    /// Parses a list with commas.
    init(_ list: String) {
        self.init(list.split(separator: ",").map { String($0) })
    }

    init(_ items: [String]) {
        self.items = items.compactMap { Self.item($0) }
    }

    /// Returns true if a host is in the list.
    ///
    /// - Parameters:
    ///   - host: The host in canonical form, an IPv6 address in brackets.
    ///   - port: The port that is connected to.
    /// - Returns: True if the host is reached without a proxy.
    func contains(_ host: String, port: Int) -> Bool {
        let address = AddressText.bytes(HostPort.bare(host))
        let name = HTTPURL.withoutFinalDot(host)
        return items.contains { item in
            switch item {
            case .all:
                true
            case .name(let suffix, let own):
                address == nil && (own ?? port) == port && (name == suffix || name.hasSuffix("." + suffix))
            case .address(let own, let ownPort):
                address == own && (ownPort ?? port) == port
            case .range(let start, let bits):
                address.map { Self.has($0, prefix: start, bits: bits) } ?? false
            }
        }
    }

    private static func item(_ text: String) -> Item? {
        let text = text.trimmingSpace.lowercased()
        if text == "*" {
            return .all
        }
        if let slash = text.firstIndex(of: "/") {
            guard let start = AddressText.bytes(HostPort.bare(String(text[..<slash]))),
                let bits = Int(text[text.index(after: slash)...]), bits >= 0, bits <= start.count * 8
            else {
                return nil
            }
            return .range(start, bits: bits)
        }
        if let address = AddressText.bytes(HostPort.bare(text)) {
            return .address(address, port: nil)
        }
        guard let (host, portText) = HostPort.split(text[...]) else {
            return nil
        }
        let port = portText.flatMap { HostPort.port($0) }
        guard portText == nil || port != nil else {
            return nil
        }
        if let address = AddressText.bytes(HostPort.bare(host)) {
            return .address(address, port: port)
        }
        var name = host[...]
        if name.hasPrefix("*.") {
            name = name.dropFirst()
        }
        name = name.drop { $0 == "." }
        guard let canonical = try? HTTPURL.canonicalHost(String(name)), canonical != "*" else {
            return nil
        }
        let suffix = HTTPURL.withoutFinalDot(canonical)
        return suffix.isEmpty ? nil : .name(suffix, port: port)
    }

    private static func has(_ address: [UInt8], prefix: [UInt8], bits: Int) -> Bool {
        guard address.count == prefix.count else {
            return false
        }
        return (0..<bits)
            .allSatisfy { bit in
                (address[bit / 8] ^ prefix[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
            }
    }
}

extension String {
    fileprivate var trimmingSpace: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
