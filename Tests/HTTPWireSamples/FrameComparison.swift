// SPDX-License-Identifier: MIT

import HTTPTypes
import HTTPWire
import NIOCore
import RestEssentials

/// Compares what a connection of HTTP/2 makes of frames with what they were made from.
///
/// - Frames that are right give each stream its response, and each question its reply.
/// - Changed ones end each stream at most once, and make the client send little.
/// - However the bytes are cut, the verdict must be the same.
package struct FrameComparison {
    /// The view that a connection has of some bytes.
    private struct Verdict: Equatable {
        /// The responses of the streams, in words.
        var outcomes: [Int: String] = [:]
        /// The streams that have ended.
        var ended: Set<Int> = []
        /// The events that must not be, in words.
        var faults: [String] = []
        /// The rule that ended the connection.
        var defect: HTTP2Defect?
        var sent: [UInt8] = []
    }

    /// The samples that gave something else than they must, in words.
    package private(set) var differences: [String] = []
    /// The samples that were right.
    package private(set) var wholeCount = 0
    /// The changed samples that ended their connection.
    package private(set) var brokenCount = 0
    /// The changed samples that did not.
    package private(set) var toleratedCount = 0

    package init() {}

    /// Compares the sample of a seed, right and changed.
    package mutating func compare(seed: UInt64) {
        var sample = FrameSample(seed: seed)
        let right = verdict(sample.pieces(), of: sample, seed: seed)
        let replies = Self.frames(right.sent).filter { $0.kind == 4 || $0.kind == 6 }
        if right.defect != nil || right.outcomes != sample.outcomes {
            note("is not read", seed, "\(right.outcomes) \(right.defect.map { "\($0)" } ?? "")", "\(sample.outcomes)")
        }
        if replies.count != sample.questions || !replies.allSatisfy({ $0.flags == 1 }) {
            note("has other replies", seed, "\(replies)", "\(sample.questions)")
        }
        wholeCount += 1

        sample.mutate()
        let changed = verdict(sample.pieces(), of: sample, seed: seed)
        if changed.defect == nil {
            toleratedCount += 1
        } else {
            brokenCount += 1
        }
    }

    /// Returns the verdict on pieces, which must be that on the whole.
    private mutating func verdict(
        _ pieces: [ArraySlice<UInt8>],
        of sample: FrameSample,
        seed: UInt64
    ) -> Verdict {
        let cut = Self.read(pieces, sample.methods)
        let whole = Self.read([sample.frames.flatMap { $0 }[...]], sample.methods)
        if cut != whole {
            note("depends on how it is cut", seed, "\(whole)", "\(cut)")
        }
        for fault in whole.faults {
            note(fault, seed, "\(whole.outcomes)", "")
        }
        // A reply to PING is the longest answer to one frame, and each stream may be reset.
        let limit = 17 * (sample.frames.flatMap { $0 }.count / 9) + 13 * sample.methods.count
        if whole.sent.count > limit {
            note("makes the client send \(whole.sent.count) bytes", seed, "", "at most \(limit)")
        }
        return whole
    }

    private mutating func note(_ what: String, _ seed: UInt64, _ ours: String, _ expected: String) {
        differences.append("seed \(seed) \(what)\n  ours \(ours)\n  expected \(expected)")
    }

    // MARK: - A connection

    private static func read(_ pieces: [ArraySlice<UInt8>], _ methods: [String]) -> Verdict {
        var verdict = Verdict()
        var machine = HTTP2StateMachine(isSecure: true, limits: ResponseParser.Limits())
        do throws(WireFault) {
            for method in methods {
                let request = try WireRequest(method: method, target: "/", host: "a.test", fields: [:], body: nil)
                _ = try machine.start(request, hasBody: false)
            }
        } catch {
            verdict.faults.append("has a request that is refused: \(error)")
        }
        _ = machine.takeOutput()
        var events: [HTTP2StateMachine.Event] = []
        do throws(HTTP2Defect) {
            for piece in pieces {
                try machine.receive(ByteBuffer(bytes: piece), at: .uptimeNanoseconds(1 << 40), into: &events)
            }
        } catch {
            verdict.defect = error
        }
        verdict.sent = machine.takeOutput().map { Array($0.readableBytesView) } ?? []
        var bodies: [Int: [UInt8]] = [:]
        for event in events {
            take(event, &bodies, &verdict)
        }
        if machine.streamCount + verdict.ended.count != methods.count {
            verdict.faults.append("has \(machine.streamCount) streams beside \(verdict.ended.count) ends")
        }
        return verdict
    }

    private static func take(
        _ event: HTTP2StateMachine.Event,
        _ bodies: inout [Int: [UInt8]],
        _ verdict: inout Verdict
    ) {
        switch event {
        case .interim(let stream, let head):
            add(["interim \(head.status)"], to: stream, &verdict)
        case .head(let stream, let fields):
            if let head = fields.head {
                add(["head \(head.status)"] + head.fields.map { "\($0.name): \($0.value)" }, to: stream, &verdict)
            }
        case .body(let stream, let bytes):
            bodies[stream, default: []] += Array(bytes.readableBytesView)
            if verdict.ended.contains(stream) {
                verdict.faults.append("has a body behind the end of \(stream)")
            }
        case .end(let stream):
            add(["body \(bodies[stream] ?? [])", "end"], to: stream, &verdict)
            verdict.ended.insert(stream)
        case .fault(let stream, let fault):
            add(["fault \(fault)"], to: stream, &verdict)
            verdict.ended.insert(stream)
        case .room, .streamLimit, .goAway, .http1Required:
            break
        }
    }

    private static func add(_ lines: [String], to stream: Int, _ verdict: inout Verdict) {
        if verdict.ended.contains(stream) {
            verdict.faults.append("has more behind the end of \(stream): \(lines)")
        }
        let lines = [verdict.outcomes[stream]].compactMap { $0 } + lines
        verdict.outcomes[stream] = lines.joined(separator: "\n")
    }

    /// Returns the kinds and the flags of frames.
    private static func frames(_ bytes: [UInt8]) -> [(kind: UInt8, flags: UInt8)] {
        var frames: [(kind: UInt8, flags: UInt8)] = []
        var place = 0
        while place + 9 <= bytes.count {
            frames.append((bytes[place + 3], bytes[place + 4]))
            let count = bytes[place..<place + 3].reduce(0) { $0 << 8 | Int($1) }
            place += 9 + count
        }
        return frames
    }
}
