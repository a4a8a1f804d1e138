// SPDX-License-Identifier: MIT

package import HTTPWire
import RestEssentials

/// Compares this library's parser with llhttp.
///
/// - What llhttp refuses must be refused.
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
        case (.response, .refused):
            note("is refused by llhttp alone", sample, seed, "\(ours.verdict)", "\(theirs)")
        case (.refused, .refused):
            refusedCount += 1
        case (.refused(let defect), .response):
            stricter[defect, default: 0] += 1
        }
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
