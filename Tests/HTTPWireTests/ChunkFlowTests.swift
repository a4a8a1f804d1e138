// SPDX-License-Identifier: MIT

import SeededRandom
import Testing

@testable import HTTPWire

@Suite
struct ChunkFlowTests {
    private func text(_ delivery: ChunkFlow<String>.Delivery) -> String {
        switch delivery {
        case .chunk(let chunk, let resumes): resumes ? "\(chunk), read on" : chunk
        case .end(.complete): "end"
        case .end(.failed(let error)): "\(error)"
        case .wait: "wait"
        }
    }

    @Test
    func `chunks are kept up to the limit, and the connection is read again at half of it`() {
        var flow = ChunkFlow<String>(limit: 10)

        let arrivals = ["a", "b", "c", "d"].map { flow.receive($0, count: 3) }
        let deliveries = (0..<5).map { _ in text(flow.ask()) }

        #expect(arrivals == [.keep, .keep, .keep, .hold])
        #expect(deliveries == ["a", "b", "c, read on", "d", "wait"])
    }

    @Test
    func `a consumer that waits gets the chunk itself`() {
        var flow = ChunkFlow<String>(limit: 1)

        #expect(text(flow.ask()) == "wait")
        #expect(flow.receive("a", count: 100) == .handOver)
        #expect(flow.receive("b", count: 1) == .hold)
        #expect(text(flow.ask()) == "b, read on")
    }

    @Test
    func `a chunk that arrives during a pause does not end it unseen`() {
        var flow = ChunkFlow<String>(limit: 10)

        let first = flow.receive("a", count: 3)
        let held = flow.receive("b", count: 9)
        let early = text(flow.ask())
        let late = flow.receive("c", count: 0)

        #expect([first, held, late] == [.keep, .hold, .hold])
        #expect([early] + (0..<3).map { _ in text(flow.ask()) } == ["a", "b, read on", "c", "wait"])
    }

    @Test
    func `the end comes after the buffered chunks, a cancellation at once`() {
        struct Cut: Error {}
        var (regular, cut) = (ChunkFlow<String>(limit: 9), ChunkFlow<String>(limit: 9))
        var cancelled = ChunkFlow<String>(limit: 9)
        _ = regular.receive("a", count: 1)
        _ = cut.receive("a", count: 1)
        _ = cancelled.receive("a", count: 1)

        let wakes = [regular.finish(.complete), cut.finish(.failed(Cut())), cancelled.cancel()]

        #expect(wakes == [false, false, false])
        #expect((0..<3).map { _ in text(regular.ask()) } == ["a", "end", "end"])
        #expect((0..<2).map { _ in text(cut.ask()) } == ["a", "Cut()"])
        #expect(text(cancelled.ask()) == "CancellationError()")
        #expect(cancelled.receive("b", count: 1) == .drop)
    }

    @Test
    func `a waiter receives the end once`() {
        var (finished, cancelled) = (ChunkFlow<String>(limit: 9), ChunkFlow<String>(limit: 9))
        _ = finished.ask()
        _ = cancelled.ask()

        let ends = [finished.finish(.complete), finished.finish(.complete), finished.cancel()]
        let cancellations = [cancelled.cancel(), cancelled.cancel(), cancelled.finish(.complete)]

        #expect(ends == [true, false, false])
        #expect(cancellations == [true, false, false])
    }

    @Test
    func `every chunk is delivered once and in order, in any interleaving`() {
        var generator = SeededGenerator(seed: 31)
        for _ in 0..<500 {
            var flow = ChunkFlow<Int>(limit: Int.random(in: 1...50, using: &generator))
            var (sent, received, isHeld, isAwaited) = (0, [Int](), false, false)
            for _ in 0..<100 {
                if Bool.random(using: &generator), !isHeld {
                    switch flow.receive(sent, count: Int.random(in: 1...20, using: &generator)) {
                    case .handOver:
                        received.append(sent)
                        isAwaited = false
                    case .hold: isHeld = true
                    case .keep: break
                    case .drop: Issue.record("a chunk was dropped")
                    }
                    sent += 1
                } else if !isAwaited {
                    switch flow.ask() {
                    case .chunk(let chunk, let resumes):
                        received.append(chunk)
                        isHeld = isHeld && !resumes
                    case .wait:
                        isAwaited = true
                        // No consumer may wait for a connection that is not read.
                        #expect(!isHeld)
                    case .end: Issue.record("it ended")
                    }
                }
            }
            #expect(received == Array(0..<received.count))
        }
    }
}
