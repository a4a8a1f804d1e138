// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct ReachabilityStateMachineTests {
    @Test
    func `only changes are told`() {
        var machine = ReachabilityStateMachine()
        #expect(machine.state == .unknown)

        let ends = [false, false, true, true, false]
            .map { isReachable in
                let check = machine.begin()
                return machine.end(check, isReachable: isReachable)
            }

        #expect(ends == [.unreachable, nil, .reachable, nil, .unreachable])
        #expect(machine.state == .unreachable)
    }

    @Test
    func `a check that began before one that has ended changes nothing`() {
        var machine = ReachabilityStateMachine()
        let (slow, fast) = (machine.begin(), machine.begin())

        #expect(machine.end(fast, isReachable: true) == .reachable)
        #expect(machine.end(slow, isReachable: false) == nil)
        #expect(machine.state == .reachable)
    }
}
