// SPDX-License-Identifier: MIT

import JobGraphs
import RestClient
import RestEssentials
import SharedStore

/// One simulation: a server, a disk, and processes that die and come back, all drawn from one seed.
struct World {
    /// The result of a simulation.
    struct Verdict: Sendable {
        let seed: UInt64
        let defects: [String]
        let steps: Int
        let time: Duration
        let trace: Trace
        let counts: (begun: Int, outcomes: [String: Int], kinds: [String: Int])
        let crashes: Int
    }

    /// The number of steps after which a simulation counts as one that never ends.
    private static let limit = 400_000

    private let seed: UInt64
    private var generator: SplitMix64
    private let settings: Settings
    private let weather: Weather
    private let server: SimulatedServer
    private let rows = MemoryBacking()
    private let ledger = Ledger()
    private var lastNumber = 0
    private var durables: [Operation] = []
    private var crashes = 0
    private weak var manager: RestClientManager?

    private init(seed: UInt64) {
        self.seed = seed
        generator = SplitMix64(seed: seed)
        settings = Settings(&generator)
        weather = Weather(&generator)
        server = SimulatedServer(seed: generator.next(), weather: weather)
    }

    /// Runs the simulation of a seed.
    static func run(seed: UInt64, traceLimit: Int = 0) -> Verdict {
        Scheduler.shared.begin(seed: SplitMix64.mix(seed), traceLimit: traceLimit)
        var world = World(seed: seed)
        world.run()
        let trace = Scheduler.shared.trace
        return Verdict(
            seed: seed,
            defects: world.ledger.defects,
            steps: Scheduler.shared.steps,
            time: Scheduler.shared.now,
            trace: trace,
            counts: world.ledger.counts,
            crashes: world.crashes
        )
    }

    private mutating func run() {
        let lives = settings.hasDisk ? 1 + Int(generator.next() % 3) : 1
        for life in 0..<lives {
            let dies = life + 1 < lives || generator.isHit(0.2)
            guard live(operations(), weather, crashingAt: dies ? 10 + Int(generator.next() % 400) : nil) else {
                return
            }
        }
        if !durables.isEmpty {
            server.change(to: .calm)
            let all = durables.map { Operation(number(), repeating: $0, mustFinish: true) }
            guard live(all, .calm, crashingAt: nil) else {
                return
            }
        }
        for order in server.repeatedOrders {
            ledger.defect("the server acted more than once on \(order)")
        }
    }

    private mutating func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func operations() -> [Operation] {
        var operations = durables.map { Operation(number(), repeating: $0, mustFinish: false) }
        for _ in 0..<(2 + Int(generator.next() % 10)) {
            let operation = Operation(number(), mayBeDurable: settings.hasDisk, &generator)
            operations.append(operation)
            if operation.isDurable {
                durables.append(operation)
            }
        }
        return operations
    }

    /// Lets one process do its operations, or die before; returns false if it hangs.
    private mutating func live(_ operations: [Operation], _ weather: Weather, crashingAt crash: Int?) -> Bool {
        guard lead(operations, weather, crashingAt: crash) else {
            return false
        }
        // What ran last releases what it holds when it ends.
        _ = Scheduler.shared.run(limit: Self.limit)
        if manager != nil {
            ledger.defect("the manager outlives its process")
        }
        return true
    }

    private mutating func lead(_ operations: [Operation], _ weather: Weather, crashingAt crash: Int?) -> Bool {
        let process = SimulatedProcess(
            settings,
            weather: weather,
            seed: generator.next(),
            server: server,
            rows: rows,
            ledger: ledger
        )
        manager = process.manager
        guard run(process, operations, crashingAt: crash) else {
            return false
        }
        _ = Scheduler.shared.run(limit: Self.limit)
        process.check()
        return true
    }

    private mutating func run(_ process: SimulatedProcess, _ operations: [Operation], crashingAt crash: Int?) -> Bool {
        let ends = Tally()
        let root = Task.detached {
            await process.run(operations)
            ends.add()
        }
        let began = Scheduler.shared.steps
        var end = Scheduler.shared.run(limit: Self.limit) {
            ends.count > 0 || crash.map { Scheduler.shared.steps - began >= $0 } ?? false
        }
        if ends.count == 0, end == .stopped {
            crashes += 1
            process.crash()
            root.cancel()
            end = Scheduler.shared.run(limit: Self.limit) { ends.count > 0 }
        }
        guard ends.count > 0 else {
            let kind = end == .idle ? "hangs" : "never ends"
            ledger.defect("the process \(kind): \(ledger.open), pool: \(process.manager.workers.snapshot())")
            return false
        }
        // What a call started for itself must have ended with it, without waiting for a clock.
        _ = Scheduler.shared.run(limit: Self.limit, passesTime: false)
        // But a claim that the disk refused to give back is given back later.
        if Scheduler.shared.sleepers > 0, !process.manager.jobHost.runtime.journals.hasLeftovers {
            ledger.defect("\(Scheduler.shared.sleepers) tasks still sleep after everything has ended")
        }
        return true
    }
}
