// SPDX-License-Identifier: MIT

package import RestEssentials
import Synchronization
package import Testing

/// Marker texts that stand for secrets, and all that the library has put out meanwhile.
///
/// Each place where a secret can enter gets a marker of its own, so that one which comes out says where it went in.
package final class PlantedSecrets: Sendable {
    private let state = Mutex((markers: [String: String](), outputs: [(name: String, bytes: Data)]()))

    package init() {}

    /// Returns the marker of a place.
    package func marker(_ place: String) -> String {
        state.withLock { state in
            if let known = state.markers[place] {
                return known
            }
            let marker = "\(Self.prefix)\(place)-\(UInt64.random(in: .min ... .max))"
            state.markers[place] = marker
            return marker
        }
    }

    /// Keeps a text that came out of the library.
    package func note(_ name: String, _ text: String) {
        note(name, Data(text.utf8))
    }

    /// Keeps bytes that came out of the library.
    package func note(_ name: String, _ bytes: Data) {
        state.withLock { $0.outputs.append((name, bytes)) }
    }

    /// Keeps the description of a value, and what `dump` prints of it.
    package func note(_ name: String, printing value: Any) {
        var dumped = ""
        dump(value, to: &dumped, maxItems: 20_000)
        note(name, "\(value)")
        note("\(name), reflected", String(reflecting: value))
        note("\(name), dumped", dumped)
    }

    /// Keeps the bytes of all files in a folder.
    package func note(filesIn folder: URL) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            // A folder cannot be read.
            if let bytes = try? Data(contentsOf: folder.appendingPathComponent(name)) {
                note("the file \(name)", bytes)
            }
        }
    }

    /// The number of kept outputs.
    package var outputCount: Int { state.withLock { $0.outputs.count } }

    /// Returns the number of kept outputs of a name.
    package func count(of name: String) -> Int {
        state.withLock { state in state.outputs.count(where: { $0.name == name }) }
    }

    /// The places whose markers came out, with the output in which each was found, in plain text or Base64.
    package var leaks: [String] {
        let (markers, outputs) = state.withLock { ($0.markers, $0.outputs) }
        var leaks: Set<String> = []
        for (name, bytes) in outputs {
            let bytes = Array(bytes)
            for position in Self.positions(of: Array(Self.prefix.utf8), in: bytes) {
                let text = String(decoding: bytes[position..<min(bytes.count, position + 80)], as: UTF8.self)
                let place = markers.first { text.hasPrefix($0.value) }?.key ?? text
                leaks.insert("'\(place)' in \(name)")
            }
            if Self.codedPrefixes.contains(where: { !Self.positions(of: $0, in: bytes).isEmpty }) {
                leaks.insert("Base64 of a marker in \(name)")
            }
        }
        return leaks.sorted()
    }

    private static let prefix = "plant-"

    /// The Base64 of the beginning of a marker, whatever stands before it.
    private static let codedPrefixes: [[UInt8]] = (0..<3)
        .map { offset in
            let text = Data(repeating: 0, count: offset) + Data(prefix.utf8)
            let code = Array(text.base64EncodedString().utf8)
            return Array(code[((offset * 8 + 5) / 6)..<((offset + prefix.utf8.count) * 8 / 6)])
        }

    private static func positions(of needle: [UInt8], in bytes: [UInt8]) -> [Int] {
        var positions: [Int] = []
        var position = 0
        while position + needle.count <= bytes.count {
            if bytes[position] == needle[0], bytes[position..<position + needle.count].elementsEqual(needle) {
                positions.append(position)
            }
            position += 1
        }
        return positions
    }

    /// Expects that no marker came out.
    package func expectNothingLeaked(_ location: SourceLocation = #_sourceLocation) {
        let leaks = leaks
        #expect(leaks == [], sourceLocation: location)
    }
}
