// SPDX-License-Identifier: MIT

import Foundation
import JobGraphs
import Synchronization

/// A process that works runs until it is killed.
final class ChaosWorker: Sendable {
    private let name: String
    private let world: World
    private let runtime: JobRuntime

    init(folder: URL, name: String) {
        self.name = name
        let world = World(folder)
        self.world = world
        runtime = JobRuntime(workerCount: 0, observer: Witness(world, name))
        runtime.persist(in: folder, timing: Self.timing)
    }

    static var timing: RunTiming {
        var timing = RunTiming()
        timing.lease = .seconds(2)
        timing.beat = .milliseconds(500)
        timing.margin = .milliseconds(400)
        timing.look = .milliseconds(50)
        return timing
    }

    func work() async throws {
        try await runtime.worker(limit: 6)
            .offering(Self.graph(.fail, world, name))
            .offering(Self.graph(.repeatWithSameKey, world, name))
            .run()
    }

    static func name(of policy: UnknownOutcome) -> String { policy == .fail ? "fail" : "repeat" }

    /// Three safe nodes and two unsafe ones, two of them side by side.
    static func graph(_ policy: UnknownOutcome, _ world: World, _ process: String) -> DurableGraph<String> {
        DurableGraph(name(of: policy), unknownOutcome: policy) { run in
            var graph = JobGraph(run)
            let list = graph.local("list") { try await pause() }
            let charge = graph.job("charge", after: list) { _ in
                Effect(run: run, node: "charge", process: process, world: world)
            }
            let read = graph.local("read", after: charge) { _ in try await pause() }
            let notify = graph.job("notify", after: charge) { _ in
                Effect(run: run, node: "notify", process: process, world: world)
            }
            graph.local("sum", after: read, notify) { _, _ in try await pause() }
            return graph
        }
    }

    static func pause() async throws {
        try await RealTime.pass(.milliseconds(.random(in: 1...60)))
    }
}

/// Work that must not be done twice, and that takes its time before and after its effect.
private struct Effect: Job {
    let run: String
    let node: String
    let process: String
    let world: World

    func run(in context: JobContext) async throws -> String {
        try await context.once { key in
            world.add(World.Event(kind: .effect, run: run, node: node, key: key, process: process))
            try await ChaosWorker.pause()
            return key
        }
    }
}

/// Writes down which results were stored.
private final class Witness: JobObserver {
    private let world: World
    private let process: String
    private let runs = Mutex<[GroupID: String]>([:])

    init(_ world: World, _ process: String) {
        self.world = world
        self.process = process
    }

    var isObserved: Bool { true }

    func observe(_ event: JobEvent) {
        guard let group = event.groupID else {
            return
        }
        switch event.kind {
        case .graphStarted(let name, _):
            runs.withLock { $0[group] = name }
        case .nodeFinished(let name, .success):
            if let run = runs.withLock({ $0[group] }) {
                world.add(World.Event(kind: .stored, run: run, node: name, process: process))
            }
        case .graphFinished:
            runs.withLock { $0[group] = nil }
        default: break
        }
    }
}
