// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization
import Testing

/// Marker texts that stand for secrets, and all that the library has put out meanwhile.
///
/// Each place where a secret can enter gets a marker of its own, so that one which comes out says where it went in.
final class PlantedSecrets: Sendable {
    private let state = Mutex((markers: [String: String](), outputs: [(name: String, bytes: Data)]()))

    /// Returns the marker of a place.
    func marker(_ place: String) -> String {
        state.withLock { state in
            if let known = state.markers[place] {
                return known
            }
            let marker = "plant-\(place)-\(UInt64.random(in: .min ... .max))"
            state.markers[place] = marker
            return marker
        }
    }

    /// Keeps a text that came out of the library.
    func note(_ name: String, _ text: String) {
        note(name, Data(text.utf8))
    }

    /// Keeps bytes that came out of the library.
    func note(_ name: String, _ bytes: Data) {
        state.withLock { $0.outputs.append((name, bytes)) }
    }

    /// Keeps the description of a value, and what `dump` prints of it.
    func note(_ name: String, printing value: Any) {
        var dumped = ""
        dump(value, to: &dumped, maxItems: 20_000)
        note(name, "\(value)")
        note("\(name), reflected", String(reflecting: value))
        note("\(name), dumped", dumped)
    }

    /// Keeps the bytes of all files in a folder.
    func note(filesIn folder: URL) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            // A folder cannot be read.
            if let bytes = try? Data(contentsOf: folder.appendingPathComponent(name)) {
                note("the file \(name)", bytes)
            }
        }
    }

    /// The number of kept outputs.
    var outputCount: Int { state.withLock { $0.outputs.count } }

    /// The places whose markers came out, with the output in which each was found, in plain text or Base64.
    var leaks: [String] {
        let (markers, outputs) = state.withLock { ($0.markers, $0.outputs) }
        var leaks: Set<String> = []
        for (place, marker) in markers {
            // The middle of Base64 that begins with it: its ends depend on what stands around.
            let coded = Data(marker.utf8).base64EncodedString().prefix(16)
            for (name, bytes) in outputs
            where bytes.firstRange(of: Data(marker.utf8)) != nil || bytes.firstRange(of: Data(coded.utf8)) != nil {
                leaks.insert("'\(place)' in \(name)")
            }
        }
        return leaks.sorted()
    }

    /// Expects that a marker was planted in each of some places, and that none came out.
    func expectNothingLeaked(_ location: SourceLocation = #_sourceLocation) {
        #expect(leaks == [], sourceLocation: location)
    }
}
