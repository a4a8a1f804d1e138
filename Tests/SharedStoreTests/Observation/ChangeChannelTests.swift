// SPDX-License-Identifier: MIT

import DequeModule
import Testing

@testable import SharedStore

@Suite(.timeLimit(.minutes(5)))
struct ChangeChannelTests {
    private func makeChannel(limit: Int = 3) -> ChangeChannel<Int> {
        ChangeChannel(limit: limit) { buffer, element in buffer[buffer.count - 1] = element }
    }

    @Test
    func `elements arrive in order, then the end`() async {
        let channel = makeChannel()
        channel.send(1)
        channel.send(2)
        channel.finish()
        channel.send(3)

        #expect(await channel.next() == 1)
        #expect(await channel.next() == 2)
        #expect(await channel.next() == nil)
        #expect(await channel.next() == nil)
    }

    @Test
    func `a full channel keeps the last element`() async {
        let channel = makeChannel()
        for number in 1...100 { channel.send(number) }
        channel.finish()

        #expect(await [channel.next(), channel.next(), channel.next(), channel.next()] == [1, 2, 100, nil])
    }

    @Test
    func `a reader that waits is resumed by an element and by the end`() async {
        let channel = makeChannel()
        async let first = channel.next()
        async let second = channel.next()
        channel.send(1)
        channel.finish()

        #expect(await Set([first, second]) == [1, nil])
    }

    @Test
    func `a task that was cancelled before it waits gets nothing and loses nothing`() async {
        let channel = makeChannel()
        let gate = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate.stream { break }
            return await channel.next()
        }
        task.cancel()
        gate.continuation.finish()

        #expect(await task.value == nil)
        channel.send(1)
        #expect(await channel.next() == 1)
    }

    @Test
    func `cancelling and sending at the same moment loses nothing`() async {
        for _ in 0..<500 {
            let channel = makeChannel()
            let task = Task { await channel.next() }
            let sender = Task { channel.send(1) }
            task.cancel()
            await sender.value
            let taken = await task.value
            channel.finish()
            let left = await channel.next()
            #expect([taken, left].compactMap { $0 } == [1])
        }
    }
}
