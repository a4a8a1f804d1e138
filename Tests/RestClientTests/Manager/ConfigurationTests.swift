// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient
@testable import SharedStore

/// The configuration of the shared manager, and the part of it that shared data have.
@Suite(.timeLimit(.minutes(5)))
struct ConfigurationTests {
    private static func configuration(workers: Int) -> RestClientManager.Configuration {
        var configuration = RestClientManager.Configuration()
        configuration.workerCount = workers
        return configuration
    }

    // MARK: - The shared manager

    @Test
    func `the shared manager has the configuration that was set last before its first use`() async {
        await #expect(processExitsWith: .success) {
            var configuration = RestClientManager.Configuration().timeout(.seconds(7))
            configuration.workerCount = 2
            try RestClientManager.configureShared(configuration)
            configuration.workerCount = 3
            try RestClientManager.configureShared(configuration)
            #expect(RestClientManager.shared.workers.size == 3)
            #expect(RestClientManager.shared.options[.timeout] == .seconds(7))
        }
    }

    @Test
    func `configuring the shared manager after its first use is an error, and changes nothing`() async {
        await #expect(processExitsWith: .success) {
            let size = RestClientManager.shared.workers.size
            var configuration = RestClientManager.Configuration()
            configuration.workerCount = 3
            let changed = configuration
            let error = #expect(throws: RestClientError.self) { try RestClientManager.configureShared(changed) }
            #expect(error?.code == .sharedManagerInUse)
            #expect(RestClientManager.shared.workers.size == size)
            #expect(size == 64)
        }
    }

    @Test
    func `concurrent configurations during the first use each succeed or fail correctly`() async {
        for _ in 0..<50 {
            let shared = SharedConfiguration()
            let inTime = Recorder<Int>()
            let taken = Recorder<Int>()
            await withTaskGroup(of: Void.self) { group in
                for number in 1...16 {
                    group.addTask {
                        if (try? shared.set(Self.configuration(workers: number))) != nil {
                            inTime.record(number)
                        }
                    }
                }
                group.addTask { taken.record(shared.take().workerCount) }
            }
            let workers = taken.elements.first ?? 0
            #expect(taken.count == 1)
            // One of those in time, or the default when nobody was.
            #expect(inTime.elements.isEmpty ? workers == 64 : inTime.elements.contains(workers))
            #expect(throws: RestClientError.self) { try shared.set(Self.configuration(workers: 99)) }
        }
    }

    // MARK: - Shared data

    @Test
    func `times to live of shared data are measured with the manager's time of day`() throws {
        let wall = WallClock()
        let manager = StubbedClient { $0.now = { wall.now } }.manager
        let key = SharedKey<String>("token", timeToLive: .seconds(60))
        try manager.sharedData.set("t", for: key)
        wall.advance(by: 59)
        #expect(try manager.sharedData.value(for: key) == "t")
        wall.advance(by: 2)
        #expect(try manager.sharedData.value(for: key) == nil)
    }

    @Test
    func `shared data have the configured durability and busy timeout`() throws {
        let manager = StubbedClient { configuration in
            configuration.sharedData.durability = .processDeath
            configuration.sharedData.busyTimeout = .milliseconds(20)
        }
        .manager
        #expect(manager.sharedData.configuration.durability == .processDeath)
        #expect(manager.sharedData.configuration.busyTimeout == .milliseconds(20))
        #expect(StubbedClient().manager.sharedData.configuration.durability == .powerLoss)
    }

    @Test
    func `a write to shared data gives up after the configured time while another process writes`() throws {
        let directory = try TemporaryDirectory().url
        let manager = StubbedClient { $0.sharedData.busyTimeout = .milliseconds(20) }.manager
        try manager.persist(in: directory)
        let key = SharedKey<String>("user")
        try manager.sharedData.set("kim", for: key)
        let file = directory.appendingPathComponent("shared-data.sqlite").path
        let other = try Connection(file: file, mode: .readWrite, busyTimeout: .seconds(10))
        try other.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: StoreError.self) { try manager.sharedData.set("lee", for: key) }
        #expect(error?.code == .busy)
        try other.execute("ROLLBACK")
        #expect(try manager.sharedData.value(for: key) == "kim")
    }

    @Test
    func `a directory with a shared value that cannot be opened is not used before somebody decides`() throws {
        let directory = try TemporaryDirectory().url
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let key = SharedKey<String>("session", codec: .sealed(mine))
        let stranger = SharedKey<String>("session", codec: .sealed(other))
        let first = StubbedClient().manager
        try first.persist(in: directory)
        try first.sharedData.set("kim", for: key)
        let manager = StubbedClient().manager
        try manager.sharedData.set("lee", for: stranger)

        let error = #expect(throws: StoreError.self) { try manager.persist(in: directory) }

        #expect(error?.code == .wrongKey)
        #expect(error?.key == "session")
        #expect(manager.directory == nil)
        #expect(try manager.sharedData.value(for: stranger) == "lee")
        #expect(try first.sharedData.value(for: key) == "kim")

        try manager.sharedData.set("lee", for: stranger, replacingUnreadable: true)
        try manager.persist(in: directory)
        #expect(manager.directory != nil)
        #expect(try manager.sharedData.value(for: stranger) == "lee")
    }
}
