// SPDX-License-Identifier: MIT

import JobGraphs
import RestClient
import RestEssentials
import SharedStore

/// A process of a simulation: a manager with its network, its disk and its token.
final class SimulatedProcess: Sendable {
    let manager: RestClientManager
    let ledger: Ledger
    let server: SimulatedServer
    let settings: Settings
    let tokens: TokenSource
    let network: SimulatedNetwork
    let disk: SimulatedDisk?
    private let observation: ObservationToken

    /// The time of day at the beginning of a simulation.
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    init(
        _ settings: Settings,
        weather: Weather,
        seed: UInt64,
        server: SimulatedServer,
        rows: MemoryBacking,
        ledger: Ledger
    ) {
        self.settings = settings
        self.server = server
        self.ledger = ledger
        ledger.processBegan(width: settings.workers)
        network = SimulatedNetwork(seed: seed, weather: weather, server: server, ledger: ledger)
        disk = settings.hasDisk ? SimulatedDisk(rows, seed: seed ^ 1, weather: weather) : nil
        var configuration = RestClientManager.Configuration()
        configuration.clock = VirtualClock()
        configuration.now = { Self.start.addingTimeInterval(Scheduler.shared.now.timeInterval) }
        configuration.transport = settings.hasCancellingTransport ? CancellingNetwork(network: network) : network
        configuration.workerCount = settings.workers
        configuration.cacheLease = settings.lease
        let manager = RestClientManager(configuration: configuration)
        self.manager = manager
        tokens = Self.tokens(of: manager, ledger)
        manager.servers["sim"] = settings.server(tokens)
        manager.defaultServer = "sim"
        if let disk {
            manager.persist(on: disk, secret: Data(repeating: 7, count: 32))
        }
        observation = manager.observe { ledger.observe($0) }
    }

    private static func tokens(of manager: RestClientManager, _ ledger: Ledger) -> TokenSource {
        TokenSource { [weak manager] _ in
            ledger.refreshBegan()
            defer { ledger.refreshEnded() }
            guard let manager else {
                throw CancellationError()
            }
            var retry = RetryPolicy(attempts: 3)
            retry.retriesUnsafeWork = true
            retry.backoff.jitter = 0
            let issued = try await manager.request(IssuedToken.self).post().endpoint("/sign-in").retry(retry).send()
            let now = Self.start.addingTimeInterval(Scheduler.shared.now.timeInterval)
            return AccessToken(issued.token, expiresIn: .seconds(issued.lifetime), now: now, user: "user")
        }
    }

    /// The number of the latest token.
    var latestToken: Int {
        tokens.current.flatMap { $0.value.split(separator: "-").last }.flatMap { Int($0) } ?? 0
    }

    /// Does all operations, each from its own time on.
    func run(_ operations: [Operation]) async {
        await withTaskGroup(of: Void.self) { group in
            for operation in operations {
                group.addTask { await self.run(operation) }
            }
        }
        await manager.cache.revalidationsFinished()
    }

    private func run(_ operation: Operation) async {
        guard (try? await VirtualClock().sleep(for: operation.delay)) != nil else {
            return
        }
        ledger.began(operation)
        let work = Task { try await self.perform(operation) }
        let cancellations = Tally()
        let alarm = operation.cancelledAfter.map { delay in
            Scheduler.shared.after(delay) {
                Scheduler.shared.note("operation \(operation.number) is cancelled")
                if operation.isCancelledByTag {
                    cancellations.add()
                    self.manager.calls.cancel(.tag(operation.tag))
                } else {
                    work.cancel()
                }
            }
        }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            cancellations.add()
            work.cancel()
        }
        if let alarm {
            Scheduler.shared.cancel(alarm)
        }
        let wasCancelled = work.isCancelled || cancellations.count > 0
        ledger.ended(operation, result, wasCancelled: wasCancelled)
    }

    /// Cuts the process off from everything, and lets what it does end.
    func crash() {
        ledger.processCrashed()
        network.cut()
        disk?.die()
        manager.calls.cancel(.all)
    }

    /// Checks that nothing is held or waited for when everything has ended.
    func check() {
        let workers = manager.workers
        if workers.runningCount + workers.waitingCount > 0 {
            ledger.defect("the pool is not empty at the end: \(workers.snapshot())")
        }
        for guarded in manager.guards.snapshots where guarded.running + guarded.waiting > 0 {
            ledger.defect("a guard still counts a call: \(guarded)")
        }
        let running = manager.calls.running()
        if !running.isEmpty {
            ledger.defect("calls are listed as running at the end: \(running.map(\.description))")
        }
        if network.count > 0 {
            ledger.defect("\(network.count) exchanges are under way at the end")
        }
        ledger.processEnded()
    }
}
