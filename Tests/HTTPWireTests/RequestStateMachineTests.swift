// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import Testing

@testable import HTTPWire

@Suite
struct RequestStateMachineTests {
    private static func request(body: Int = 0, stream: Int64?? = nil, expects: Bool = false) throws -> WireRequest {
        try WireRequest(
            method: "PUT",
            target: "/",
            host: "a.test",
            fields: expects ? [.expect: "100-Continue"] : [:],
            body: body > 0 ? Data(count: body) : nil,
            stream: stream.map { WireStream(length: $0) { _ in Task {} } }
        )
    }

    /// The lengths of the pieces that a machine sends now.
    private static func pieces(_ machine: inout RequestStateMachine) -> [Int] {
        var pieces: [Int] = []
        var end = 0
        while let piece = machine.nextPiece() {
            #expect(piece.lowerBound == end)
            end = piece.upperBound
            pieces.append(piece.count)
        }
        return pieces
    }

    @Test
    func `a request without a body, or with a short one, is sent with its head`() throws {
        for count in [0, 1, WireRequest.joinedBodySize] {
            var machine = RequestStateMachine()
            let step = machine.begin(try Self.request(body: count))
            #expect(step == .end)
            #expect(!machine.isUnfinished)
            #expect(machine.nextPiece() == nil)
        }
    }

    @Test(arguments: [
        WireRequest.joinedBodySize + 1, RequestStateMachine.pieceSize, 3 * RequestStateMachine.pieceSize + 1,
    ])
    func `a long body follows its head in pieces`(count: Int) throws {
        var machine = RequestStateMachine()
        let step = machine.begin(try Self.request(body: count))
        #expect(step == .sendPieces)
        #expect(machine.isUnfinished && machine.isSending)
        // A response that comes meanwhile changes nothing.
        machine.respond()
        #expect(machine.isUnfinished && machine.isSending)
        let pieces = Self.pieces(&machine)
        #expect(pieces.reduce(0, +) == count)
        #expect(pieces.dropLast().allSatisfy { $0 == RequestStateMachine.pieceSize })
        #expect(!machine.isUnfinished && !machine.isSending)
    }

    @Test(arguments: [(7, nil), (0, Int64?.some(7)), (0, .some(nil))] as [(Int, Int64??)])
    func `a body that waits for consent begins with it, once`(body: Int, stream: Int64??) throws {
        var machine = RequestStateMachine()
        let begun = machine.begin(try Self.request(body: body, stream: stream, expects: true))
        #expect(begun == .awaitConsent)
        #expect(machine.isUnfinished && !machine.isSending)
        #expect(machine.nextPiece() == nil)

        let first = machine.consent()
        let second = machine.consent()

        #expect(first == (body > 0 ? .sendPieces : .startStream))
        #expect(second == nil)
        #expect(Self.pieces(&machine) == (body > 0 ? [body] : []))
    }

    @Test
    func `a response instead of consent leaves the body unsent`() throws {
        var machine = RequestStateMachine()
        _ = machine.begin(try Self.request(body: 7, expects: true))
        machine.respond()
        let late = machine.consent()
        #expect(late == nil)
        #expect(machine.nextPiece() == nil)
        #expect(machine.isUnfinished && !machine.isSending)
    }

    @Test
    func `a request without a body waits for nothing`() throws {
        var machine = RequestStateMachine()
        let step = machine.begin(try Self.request(expects: true))
        #expect(step == .end)
        #expect(!machine.isUnfinished)
    }

    @Test(arguments: 0..<200)
    func `exactly the announced bytes are sent`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let announced = Bool.random(using: &generator) ? Int64.random(in: 0...20, using: &generator) : nil
        var machine = RequestStateMachine()
        _ = machine.begin(try Self.request(stream: .some(announced)))
        var sent: Int64 = 0
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            let count = Int.random(in: 1...5, using: &generator)
            let isWithin = announced.map { sent + Int64(count) <= $0 } ?? true
            if isWithin {
                try machine.write(count)
                sent += Int64(count)
            } else {
                #expect(throws: WireFault.self) { try machine.write(count) }
            }
        }
        if announced.map({ $0 == sent }) ?? true {
            try machine.end()
            #expect(!machine.isUnfinished)
            #expect(throws: WireFault.self) { try machine.write(1) }
        } else {
            #expect(throws: WireFault.self) { try machine.end() }
            #expect(machine.isUnfinished)
        }
    }
}
