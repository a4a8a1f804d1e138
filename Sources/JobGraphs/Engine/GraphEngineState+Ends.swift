// SPDX-License-Identifier: MIT

// The ends of nodes.

extension GraphEngineState {
    /// Reserves the end of a node for the caller; `false` if the node was abandoned.
    mutating func claim(_ node: Int) -> Bool {
        guard machine.phases[node] == .running else {
            return false
        }
        claimed.insert(node)
        return true
    }

    /// Ends a node that was cancelled before it was granted its slot; returns the mutex keys to release.
    mutating func endWithoutSlot(_ node: Int, at now: Duration, _ program: GraphProgram) -> MutexKeys.Request? {
        queue.forget(node)
        settle(node, .cancelled, nil, at: now, program)
        return takeKeys(of: node)
    }

    mutating func settle(
        _ node: Int,
        _ result: NodeResult,
        _ note: JobNote?,
        at now: Duration,
        _ program: GraphProgram
    ) {
        if !claimed.isEmpty {
            claimed.remove(node)
        }
        let phase = result.phase
        let holds = program.topology.hasConditions ? Self.holds(result) : phase == .success
        var reaction: FailureReaction?
        if phase == .failure || phase == .cancelled {
            reaction = result.error is IgnoredFailure ? .ignore : program.reaction(to: node)
        }
        guard machine.finish(node, phase, holds: holds, onFailure: reaction) else {
            return
        }
        records.end(node, result, at: now)
        elements.settle(node)
        stopTimer(of: node)
        if let note {
            records.keep(note, of: node)
        }
        if phase == .success, !program.compensations.isEmpty {
            records.complete(node)
        }
    }

    private static func holds(_ result: NodeResult) -> Bool {
        guard case .success(let value) = result else {
            return false
        }
        return value as? Bool ?? true
    }

    mutating func announce(_ node: Int, _ result: NodeResult) {
        if announcesNodes {
            hasAnnouncements = true
            actions.append(.announce(node, result))
        }
    }

    /// Abandons the given running nodes: they count as failed even if their work ends later.
    mutating func giveUp(
        _ nodes: some Sequence<Int>,
        _ error: any Error,
        at now: Duration,
        _ program: GraphProgram
    ) {
        let givenUp = nodes.filter { machine.phases[$0] == .running && !claimed.contains($0) }
        interrupt(givenUp)
        for node in givenUp where machine.finish(node, .failure, onFailure: program.reaction(to: node)) {
            records.end(node, .failure(error), at: now)
            elements.settle(node)
            stopTimer(of: node)
            announce(node, .failure(error))
        }
    }

    mutating func interrupt(_ nodes: [Int]) {
        let nodes = Set(nodes)
        let tasks = workers.interrupt(nodes)
        let (waiters, granted) = queue.remove(nodes)
        actions += tasks.map(Action.cancel) + waiters.map(Action.leave)
        actions += granted.map { .giveBack($0.slot, of: $0.node) }
    }

    mutating func keepTimer(_ timer: Task<Void, Never>, of node: Int) -> Bool {
        guard machine.phases[node] == .running else {
            return false
        }
        timers[node] = timer
        return true
    }

    private mutating func stopTimer(of node: Int) {
        if !timers.isEmpty, let timer = timers.removeValue(forKey: node) {
            actions.append(.cancel(timer))
        }
    }
}

extension NodeResult {
    var phase: JobGraphStateMachine.Phase {
        switch self {
        case .success: .success
        case .failure: .failure
        case .cancelled, .notRun: .cancelled
        case .skipped: .skipped
        }
    }
}
