// SPDX-License-Identifier: MIT

import DequeModule

/// Decides when each node of a graph begins: a pure value, without locks, clocks or tasks; its owner empties
/// ``passedOver`` and ``interrupts``.
struct JobGraphStateMachine {
    enum Phase: UInt8, Sendable {
        case waiting, ready, running
        case success, failure, cancelled
        /// A node that it waits for did not provide what it needs.
        case skipped
        case notRun

        var isSettled: Bool { rawValue >= Phase.success.rawValue }
    }

    let topology: JobTopology
    private let onFailure: FailureReaction
    private let width: Int
    private(set) var phases: [Phase]
    /// The number of open edges to each node.
    private var open: [Int32]
    private var ready: Deque<Int32> = []
    private(set) var unsettled: Int
    private(set) var running = 0
    /// The first node that failed or cancelled itself, unless its options ignore that.
    private(set) var firstFailure: Int?
    private var interrupted: Set<Int> = []
    private var pendingSkips: [Int] = []
    /// The nodes that ended without running, for the owner to take.
    var passedOver: [Int] = []
    /// The running nodes to interrupt, for the owner to take.
    var interrupts: [Int] = []
    /// The node that made each skipped node impossible.
    private(set) var causes: [Int: Int] = [:]

    init(_ topology: JobTopology, onFailure: FailureReaction = .continue, width: Int = .max) {
        self.topology = topology
        self.width = width
        self.onFailure = onFailure
        phases = Array(repeating: .waiting, count: topology.count)
        open = topology.inDegrees
        unsettled = topology.count
        for node in 0..<topology.count where open[node] == 0 {
            phases[node] = .ready
            ready.append(Int32(node))
        }
    }

    var isFinished: Bool { unsettled == 0 }

    func isInterrupted(_ node: Int) -> Bool { !interrupted.isEmpty && interrupted.contains(node) }

    var readyCount: Int { min(ready.count, width - running) }

    /// Returns the next node to begin; it counts as running from then on.
    mutating func next() -> Int? {
        while running < width, let node = ready.popFirst().map(Int.init) {
            // A node that was cancelled while it was ready left its place in the queue.
            if phases[node] == .ready {
                phases[node] = .running
                running += 1
                return node
            }
        }
        return nil
    }

    /// Records the outcome of a running node; `false` if the node had been abandoned before.
    mutating func finish(_ node: Int, _ phase: Phase, holds: Bool = true, onFailure own: FailureReaction? = nil) -> Bool
    {
        guard phases[node] == .running else {
            return false
        }
        running -= 1
        let reaction = own ?? onFailure
        settle(node, phase, holds: holds, isIgnored: reaction == .ignore)
        let wasInterrupted = !interrupted.isEmpty && interrupted.remove(node) != nil
        if phase == .failure || (phase == .cancelled && !wasInterrupted), reaction != .ignore {
            firstFailure = firstFailure ?? node
            switch reaction {
            case .continue, .ignore: break
            case .stop: stop()
            case .cancel: cancel()
            }
        }
        return true
    }

    mutating func stop() {
        for node in phases.indices where phases[node] == .waiting || phases[node] == .ready {
            phases[node] = .notRun
            unsettled -= 1
            passedOver.append(node)
        }
        ready.removeAll()
    }

    mutating func cancel() {
        stop()
        for node in phases.indices where phases[node] == .running {
            interrupt(node)
        }
    }

    mutating func cancel(_ node: Int) {
        switch phases[node] {
        case .waiting, .ready:
            settle(node, .cancelled, holds: false, isIgnored: false)
            passedOver.append(node)
        case .running:
            interrupt(node)
        default:
            break
        }
    }

    mutating func cancelBranch(from root: Int) {
        // From the leaves to the root, so that no node is skipped before it is cancelled.
        for node in topology.branch(from: root).reversed() {
            cancel(node)
        }
    }

    private mutating func interrupt(_ node: Int) {
        interrupts.append(node)
        interrupted.insert(node)
    }

    /// Ends a node, and all nodes that can then no longer run; iterative, because chains may be long.
    private mutating func settle(_ node: Int, _ phase: Phase, holds: Bool, isIgnored: Bool) {
        phases[node] = phase
        unsettled -= 1
        release(node, holds: holds, isIgnored: isIgnored)
        while let skipped = pendingSkips.popLast() {
            // Both say nothing of a node that was skipped.
            release(skipped, holds: holds, isIgnored: isIgnored)
        }
    }

    private mutating func release(_ node: Int, holds: Bool, isIgnored: Bool) {
        let phase = phases[node]
        for place in Int(topology.starts[node])..<Int(topology.starts[node + 1]) {
            let link = topology.links[place]
            let target = Int(link.target)
            guard phases[target] == .waiting else {
                continue
            }
            let isMet =
                switch link.need {
                case .value: phase == .success
                case .success: phase == .success || (phase == .failure && isIgnored)
                case .end: true
                case .truth: phase == .success && holds
                case .falsehood: phase == .success && !holds
                }
            guard isMet else {
                phases[target] = .skipped
                unsettled -= 1
                causes[target] = node
                passedOver.append(target)
                pendingSkips.append(target)
                continue
            }
            open[target] -= 1
            if open[target] == 0 {
                phases[target] = .ready
                ready.append(link.target)
            }
        }
    }
}
