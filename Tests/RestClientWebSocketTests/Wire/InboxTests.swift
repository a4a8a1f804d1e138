// SPDX-License-Identifier: MIT

import RestClient
import SeededRandom
import Testing

@testable import RestClientWebSocket

/// Who gets which message, and when the connection is read.
@Suite(.timeLimit(.minutes(5)))
struct InboxTests {
    @Test
    func `beyond the limit the connection is held, until half of it is taken`() {
        var machine = InboxStateMachine<Int>(limit: 10)

        #expect(machine.receive(1, count: 4) == .keep)
        #expect(machine.receive(2, count: 4) == .hold)
        #expect(machine.receive(3, count: 4) == .hold)
        #expect(machine.isHeld)
        guard case .message(1, resumes: false) = machine.ask(), case .message(2, resumes: true) = machine.ask() else {
            Issue.record("another message, or held too long")
            return
        }
        #expect(!machine.isHeld)
    }

    @Test
    func `a message that comes while the connection is held does not end that unseen`() {
        var machine = InboxStateMachine<Int>(limit: 100)

        #expect([machine.receive(1, count: 59), machine.receive(2, count: 59)] == [.keep, .hold])
        guard case .message(1, resumes: false) = machine.ask() else {
            Issue.record("another message, or not held long enough")
            return
        }
        // With what is left it is below the limit, and above the half of it.
        #expect(machine.receive(3, count: 4) == .hold)
        guard case .message(2, resumes: true) = machine.ask(), case .message(3, resumes: false) = machine.ask() else {
            Issue.record("another message, or held too long")
            return
        }
        #expect(!machine.isHeld)
    }

    @Test(arguments: UInt64(0)..<64)
    func `nobody waits for a connection that is held, and messages come once and in order`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = InboxStateMachine<Int>(limit: Int.random(in: 1...60, using: &random))
        // As the connection sees it.
        var isHeld = false
        var (sent, received, waiters, faults) = (0, [Int](), [Int](), [String]())
        func ask() -> Bool {
            switch machine.ask() {
            case .message(let message, let resumes):
                received.append(message)
                isHeld = isHeld && !resumes
                return true
            case .wait(let waiter):
                waiters.append(waiter)
                if isHeld {
                    faults.append("waits for what is not read")
                }
            case .end:
                faults.append("an end")
            }
            return false
        }
        for _ in 0..<400 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4:
                // Of a connection that is not read, only what was under way comes.
                guard !isHeld || Int.random(in: 0..<3, using: &random) == 0 else {
                    continue
                }
                switch machine.receive(sent, count: Int.random(in: 0...20, using: &random)) {
                case .handOver(let waiter):
                    if waiters.isEmpty || waiters.removeFirst() != waiter {
                        faults.append("another waiter's turn")
                    }
                    received.append(sent)
                case .hold: isHeld = true
                case .keep: break
                case .drop: faults.append("a drop")
                }
                sent += 1
            case 4:
                if let index = waiters.indices.randomElement(using: &random) {
                    if !machine.withdraw(waiters.remove(at: index)) {
                        faults.append("an unknown waiter")
                    }
                }
            default:
                _ = ask()
            }
            if isHeld != machine.isHeld {
                faults.append("held here, and not there")
            }
        }

        while ask() {}

        #expect(faults.isEmpty)
        #expect(!machine.isHeld)
        #expect(received == Array(0..<sent))
    }

    @Test
    func `empty messages count too`() {
        var machine = InboxStateMachine<Int>(limit: 3)

        #expect([1, 2, 3].map { machine.receive($0, count: 0) } == [.keep, .keep, .hold])
    }

    @Test
    func `waiters are served in their order, and one that has gone is passed over`() {
        var machine = InboxStateMachine<Int>(limit: 10)
        for id in 1...3 {
            guard case .wait(id) = machine.ask() else {
                Issue.record("no wait")
                return
            }
        }

        let withdrawals = [machine.withdraw(1), machine.withdraw(1)]

        #expect(withdrawals == [true, false])
        #expect(machine.receive(7, count: 1) == .handOver(2))
        #expect(machine.finish(.complete) == [3])
        #expect(machine.finish(.complete).isEmpty)
        #expect(machine.receive(8, count: 1) == .drop)
    }

    @Test
    func `the end comes behind the messages, unless they are dropped`() async throws {
        let inbox = Inbox(limit: 100)
        inbox.receive("one")
        inbox.receive("two")
        inbox.finish(nil)

        #expect(try await inbox.next() == "one")
        inbox.finish(CancellationError(), dropsMessages: true)
        #expect(try await inbox.next() == nil)
    }

    @Test
    func `a sender waits for room, and goes on when there is some`() async throws {
        let inbox = Inbox(limit: 4)
        try await inbox.put("a")
        let sender = Task { try await inbox.put("bcd") }
        #expect(try await inbox.next() == "a")
        #expect(try await inbox.next() == "bcd")

        try await sender.value
        #expect(!inbox.isHeld)
    }

    @Test
    func `a cancelled sender and a cancelled reader stop waiting`() async throws {
        let inbox = Inbox(limit: 1)
        let sender = Task { try await inbox.put("a") }
        sender.cancel()
        await #expect(throws: CancellationError.self) { try await sender.value }
        let empty = Inbox(limit: 1)
        let reader = Task { try await empty.next() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { _ = try await reader.value }
        empty.receive("later")
        #expect(try await empty.next() == "later")
    }
}
