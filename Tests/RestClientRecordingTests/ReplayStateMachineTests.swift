// SPDX-License-Identifier: MIT

import RestClient
import TestSupport
import Testing

@testable import RestClientRecording

@Suite
struct ReplayStateMachineTests {
    private func decisions(
        _ recorded: String,
        isStrict: Bool,
        asking requests: String
    )
        -> ([ReplayStateMachine<Character>.Decision], ReplayStateMachine<Character>)
    {
        var machine = ReplayStateMachine(Array(recorded), isStrict: isStrict)
        let decisions = requests.map { machine.request($0) }
        return (decisions, machine)
    }

    @Test
    func `in any order a request gets its responses in the order of their recording`() {
        let (decisions, machine) = decisions("abab", isStrict: false, asking: "bbaax")

        #expect(decisions == [.play(1), .play(3), .play(0), .play(2), .unknown])
        #expect(machine.unused.isEmpty)
    }

    @Test
    func `a response is used once`() {
        let (decisions, machine) = decisions("aab", isStrict: false, asking: "aaa")

        #expect(decisions == [.play(0), .play(1), .exhausted(count: 2)])
        #expect(machine.unused == [2])
    }

    @Test
    func `in strict order only the next request gets its response, and another one changes nothing`() {
        let (decisions, machine) = decisions("abc", isStrict: true, asking: "acbxbc")

        #expect(
            decisions == [
                .play(0), .outOfOrder(expected: 1), .play(1), .unknown, .exhausted(count: 1), .play(2),
            ]
        )
        #expect(machine.unused.isEmpty)
    }

    @Test
    func `a response that follows another one to the same request is shadowed`() {
        let (_, machine) = decisions("abcab", isStrict: false, asking: "")

        #expect(machine.shadowed == [3, 4])
        #expect(machine.unused == [0, 1, 2, 3, 4])
    }
}
