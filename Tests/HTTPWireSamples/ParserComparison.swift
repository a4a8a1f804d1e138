// SPDX-License-Identifier: MIT

package import HTTPWire
import RestEssentials

/// Compares this library's parser with llhttp.
///
/// - What llhttp refuses must be refused, but for what RFC 9112 tells a client to mend: white space in chunk
///   extensions, lines that go on in the next one, and a length that is said several times.
/// - What both accept must be the same response.
/// - However the bytes are cut, the verdict must be the same.
package struct ParserComparison {
    /// The samples on which the parsers differ where they must not, in words.
    package private(set) var differences: [String] = []
    /// The responses that both accepted.
    package private(set) var acceptedCount = 0
    /// The responses that both refused.
    package private(set) var refusedCount = 0
    /// The responses that only this library refuses, by the rule that they break.
    package private(set) var stricter: [ResponseDefect?: Int] = [:]

    package init() {}

    /// Compares the parsers on the sample of a seed.
    package mutating func compare(seed: UInt64) {
        compare(ResponseSample(seed: seed), seed: seed)
    }

    /// Compares the parsers on a sample, which a seed cuts into pieces.
    package mutating func compare(_ sample: ResponseSample, seed: UInt64) {
        let whole = [sample.bytes[...]]
        let pieces = sample.pieces(seed: seed)
        let ours = Verdict.ours(whole, isHead: sample.isHead)
        let cut = Verdict.ours(pieces, isHead: sample.isHead)
        if !ours.verdict.agrees(with: cut.verdict) || ours.hasSurplus != cut.hasSurplus {
            note("depends on how it is cut", sample, seed, "\(ours)", "\(cut)")
        }
        let theirs = Verdict.llhttp(whole, isHead: sample.isHead)
        switch (ours.verdict, theirs) {
        case (.response, .response):
            acceptedCount += 1
            if ours.verdict != theirs {
                note("is another response", sample, seed, "\(ours.verdict)", "\(theirs)")
            }
        case (.response, .refused)
        where Self.mended(sample.bytes, ours.verdict)
            .contains { Verdict.llhttp([$0[...]], isHead: sample.isHead).isLike(ours.verdict) }:
            acceptedCount += 1
        case (.response, .refused):
            note("is refused by llhttp alone", sample, seed, "\(ours.verdict)", "\(theirs)")
        case (.refused, .refused):
            refusedCount += 1
        case (.refused(let defect), .response):
            stricter[defect, default: 0] += 1
        }
    }

    /// Returns a message without the white space around the semicolons and equals signs of chunk extensions, which
    /// llhttp refuses, although recipients must parse it (RFC 9112, section 7.1.1).
    private static func withoutSpaceInExtensions(_ bytes: [UInt8]) -> [UInt8] {
        let space: Set<UInt8> = [0x09, 0x20]
        let separators: Set<UInt8> = [UInt8(ascii: ";"), UInt8(ascii: "=")]
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { line -> [UInt8] in
                guard line.contains(UInt8(ascii: ";")) else {
                    return Array(line)
                }
                var kept: [UInt8] = []
                for byte in line where !(space.contains(byte) && kept.last.map(separators.contains) ?? false) {
                    while separators.contains(byte), let last = kept.last, space.contains(last) {
                        kept.removeLast()
                    }
                    kept.append(byte)
                }
                return kept
            }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// Returns a message as a client is to mend it: in heads, and in the lines between chunks or not, since what looks
    /// like them may be a body.
    private static func mended(_ bytes: [UInt8], _ verdict: Verdict) -> [[UInt8]] {
        guard case .response(let heads, _) = verdict else {
            return []
        }
        var end = 0
        for _ in heads {
            while end + 4 <= bytes.count, Array(bytes[end..<end + 4]) != Array("\r\n\r\n".utf8) {
                end += 1
            }
            end = min(bytes.count, end + 4)
        }
        let rest = Array(bytes[end...])
        let head = withOneLength(withoutFolds(Array(bytes[..<end])))
        return [rest, withoutSpaceInExtensions(rest), withoutFolds(rest), withoutSpaceInExtensions(withoutFolds(rest))]
            .map { head + $0 }
    }

    /// Returns a message whose lines do not go on in the next one (section 5.2).
    private static func withoutFolds(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for place in bytes.indices.dropFirst(2)
        where bytes[place - 2] == 0x0D && bytes[place - 1] == 0x0A && [0x20, 0x09].contains(bytes[place]) {
            bytes[place - 2] = 0x20
            bytes[place - 1] = 0x20
        }
        return bytes
    }

    /// Returns heads without the lengths that repeat another one, which llhttp refuses although they say nothing else
    /// (section 6.3).
    private static func withOneLength(_ bytes: [UInt8]) -> [UInt8] {
        var isKnown = false
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .compactMap { line -> [UInt8]? in
                isKnown = isKnown && Array(line) != [0x0D]
                let name = Array("content-length:".utf8)
                guard line.prefix(name.count).map({ $0 | 0x20 }) == name.map({ $0 | 0x20 }) else {
                    return Array(line)
                }
                defer { isKnown = true }
                return isKnown ? nil : line.prefix { $0 != UInt8(ascii: ",") && $0 != 0x0D } + [0x0D]
            }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    private mutating func note(
        _ what: String,
        _ sample: ResponseSample,
        _ seed: UInt64,
        _ ours: String,
        _ theirs: String
    ) {
        let text = String(decoding: sample.bytes.flatMap { Unicode.ASCII.isASCII($0) ? [$0] : [0x3F] }, as: UTF8.self)
        differences.append("seed \(seed) \(what): \(text.debugDescription)\n  ours \(ours)\n  other \(theirs)")
    }
}
