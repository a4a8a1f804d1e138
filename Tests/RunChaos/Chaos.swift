// SPDX-License-Identifier: MIT

import Foundation
import JobGraphs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Starts workers, kills one each second, stops one for twice its lease now and then, and judges what they leave.
struct Chaos {
    var runs = 1000
    var seconds = 120
    var workers = 4
    var generator = SplitMix(state: .random(in: 0 ... .max >> 1))

    private struct Child {
        let process: Process
        var stoppedUntil: ContinuousClock.Instant?
    }

    mutating func run() async throws -> [String] {
        print("seed \(generator.state)")
        let folder = FileManager.default.temporaryDirectory.appending(path: "chaos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let runtime = JobRuntime()
        runtime.persist(in: folder, timing: ChaosWorker.timing)
        let world = World(folder)
        for number in 0..<runs {
            let policy: UnknownOutcome = number.isMultiple(of: 2) ? .repeatWithSameKey : .fail
            try await runtime.enqueue(ChaosWorker.graph(policy, world, ""), Self.name(number), as: Self.name(number))
        }
        let clock = ContinuousClock()
        let began = clock.now
        try await disturb(folder, runtime, until: began + .seconds(seconds))
        print("\(runs) runs took \(clock.now - began)")
        let faults = try await faults(world, runtime)
        if faults.isEmpty {
            try FileManager.default.removeItem(at: folder)
        } else {
            print("the files are in \(folder.path)")
        }
        return faults
    }

    private static func name(_ number: Int) -> String { "run \(number)" }

    // MARK: - The workers

    private mutating func disturb(
        _ folder: URL,
        _ runtime: JobRuntime,
        until end: ContinuousClock.Instant
    ) async throws {
        let clock = ContinuousClock()
        var started = 0
        func start() throws -> Child {
            started += 1
            let process = Process()
            process.executableURL = URL(filePath: ProcessInfo.processInfo.arguments[0])
            process.arguments = ["worker", folder.path, "\(started)"]
            try process.run()
            return Child(process: process)
        }
        var children = try (0..<workers).map { _ in try start() }
        var (kills, stops) = (0, 0)
        var nextKill = clock.now + .seconds(1)
        var nextStop = clock.now + .seconds(3)
        var nextLook = clock.now
        var isDone = false
        while !isDone, clock.now < end {
            try await RealTime.pass(.milliseconds(50))
            let now = clock.now
            for place in children.indices where children[place].stoppedUntil.map({ $0 <= now }) ?? false {
                _ = kill(children[place].process.processIdentifier, SIGCONT)
                children[place].stoppedUntil = nil
            }
            if now >= nextKill {
                nextKill = now + .seconds(1)
                let place = Int.random(in: children.indices, using: &generator)
                Self.end(children[place])
                children[place] = try start()
                kills += 1
            }
            if now >= nextStop {
                nextStop = now + .seconds(6)
                let place = Int.random(in: children.indices, using: &generator)
                _ = kill(children[place].process.processIdentifier, SIGSTOP)
                children[place].stoppedUntil = now + ChaosWorker.timing.lease * 2
                stops += 1
            }
            if now >= nextLook {
                nextLook = now + .seconds(1)
                isDone = try await look(runtime)
            }
        }
        // The stopped ones must have had their say.
        for child in children where child.stoppedUntil != nil {
            _ = kill(child.process.processIdentifier, SIGCONT)
        }
        try await RealTime.pass(ChaosWorker.timing.lease * 2)
        for child in children {
            Self.end(child)
        }
        print("\(kills) kills, \(stops) stops")
    }

    private static func end(_ child: Child) {
        _ = kill(child.process.processIdentifier, SIGKILL)
        child.process.waitUntilExit()
    }

    /// Returns true once all runs have ended; what died too often is tried again, as a person would.
    private func look(_ runtime: JobRuntime) async throws -> Bool {
        let list = try await runtime.journals.list()
        let dead = list.filter { $0.status == .failed && $0.reason?.contains("died") == true }
        for run in dead {
            try await runtime.journals.retry(run.name)
        }
        return dead.isEmpty && list.allSatisfy { $0.status == .succeeded || $0.status == .failed }
    }

    // MARK: - The judgement

    private func faults(_ world: World, _ runtime: JobRuntime) async throws -> [String] {
        var faults: [String] = []
        let list = try await runtime.journals.list()
        if list.count != runs {
            faults.append("there are \(list.count) runs, and not \(runs)")
        }
        for run in list where run.worker != nil || (run.status != .succeeded && run.status != .failed) {
            faults.append("'\(run.name)' has not ended: \(run.status), \(run.worker ?? "nobody works it")")
        }
        for run in list where run.status == .failed && run.unknownNodes.isEmpty {
            faults.append("'\(run.name)' failed without reason: \(run.reason ?? "")")
        }
        let finished = Dictionary(uniqueKeysWithValues: list.map { ($0.name, Set($0.finishedNodes)) })
        var (keys, effects, stored): ([String: String], [String: Int], Set<String>) = ([:], [:], [])
        let repeated = Set(list.filter { $0.graph == ChaosWorker.name(of: .repeatWithSameKey) }.map(\.name))
        let events = try world.events()
        for event in events {
            let place = "'\(event.node)' of '\(event.run)'"
            switch event.kind {
            case .effect:
                if stored.contains(place) {
                    faults.append("\(place) was done again by \(event.process), although its result was stored")
                }
                if let key = keys[place], key != event.key {
                    faults.append("\(place) was done with two keys")
                }
                keys[place] = event.key
                effects[place, default: 0] += 1
                if !repeated.contains(event.run), effects[place] == 2 {
                    faults.append("\(place) was done twice")
                }
            case .stored:
                stored.insert(place)
                if finished[event.run]?.contains(event.node) != true {
                    faults.append("the result of \(place), which was stored by \(event.process), is lost")
                }
            }
        }
        let succeeded = list.count { $0.status == .succeeded }
        let twice = effects.values.count { $0 > 1 }
        print(
            "\(succeeded) succeeded, \(list.count - succeeded) with unknown outcomes; \(effects.values.reduce(0, +)) effects, "
                + "\(twice) repeated with the same key; \(stored.count) results stored"
        )
        return faults
    }
}
