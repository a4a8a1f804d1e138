// SPDX-License-Identifier: MIT

import JobGraphs
import RestClient
import RestEssentials
import TestSupport
import Testing

/// Defects of earlier clients in groups, workers and pages; each test is named for one of them.
@Suite(.timeLimit(.minutes(5)))
struct GroupRegressionTests {
    @Test
    func `a group reported before its members had ended`() async throws {
        try await Service.with { service async throws in
            let gate = Gate()
            service.server.onAny { _ in User.response(1).after(gate) }
            let log = EventRecorder(service.manager)
            let nodes = (1...3).map { service.manager.request(User.self).endpoint("/{id}").parameter("id", $0) }
            async let report = service.manager.concurrently(nodes)
            try await service.server.waitForRequests(count: 3)
            #expect(log.count(of: .groupFinished) == 0)
            gate.open()
            #expect(await report.values.count == 3)
            #expect(log.names.last == .groupFinished)
            #expect(log.count(of: .groupFinished) == 1)
            #expect(log.events.count(where: \.isTerminal) >= 3)
        }
    }

    @Test
    func `an empty group never ended`() async throws {
        let manager = try RestClientManager.forTests()
        #expect(await manager.concurrently([any Job]()).outcomes.isEmpty)
        #expect(await manager.serially([any Job]()).isSuccess)
        #expect(try await manager.run(JobGraph("empty")).isSuccess)
    }

    @Test
    func `a member with an unknown alias was never sent, and its group never ended`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let good = service.manager.request(User.self).endpoint("/a")
            let report = await service.manager.concurrently([
                good, good.server("none"), service.manager.request(APIAlias<User>("none")), good.dogma("none"), good,
            ])
            let codes = report.outcomes.map { ($0.error as? RestClientError)?.code }
            #expect(codes == [nil, .unknownServer, .unknownAPI, .unknownDogma, nil])
            #expect(report.values.count == 2)
        }
    }

    @Test
    func `a member of a named or of the default server was never sent`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let node = service.manager.request(User.self)
            let report = await service.manager.serially([
                node.server(.main).endpoint("/named"), node.endpoint("/default"),
                node.serverAddress(service.server.url).endpoint("/address"),
            ])
            #expect(report.isSuccess)
            #expect(service.paths == ["/named", "/default", "/address"])
        }
    }

    @Test
    func `a request that was twice in a group collided with itself`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { request in User.response(request.number) }
            let node = service.manager.request(User.self).endpoint("/a")
            let together = await service.manager.concurrently([node, node, node])
            #expect(Set(together.values.map(\.id)) == [1, 2, 3])
            let oneByOne = await service.manager.serially([node, node])
            #expect(oneByOne.values.map(\.id) == [4, 5])
        }
    }

    @Test
    func `a local job alone did not run, and told nobody`() async throws {
        let manager = try RestClientManager.forTests()
        let log = EventRecorder(manager)
        #expect(try await manager.run(LocalJob("sum") { 2 + 3 }) == 5)
        #expect(log.names == [.localJobStarted, .localJobSucceeded])
        await #expect(throws: Problem(message: "no")) {
            try await manager.run(LocalJob("fails") { throw Problem(message: "no") })
        }
        #expect(log.count(of: .localJobFailed) == 1)
    }

    @Test
    func `a larger pool woke nobody, and who came later went first`() async throws {
        try await Service.with { configuration in
            configuration.workerCount = 1
        } _: { service async throws in
            let gates = (0..<5).map { _ in Gate() }
            service.server.on(.get, "/{number}") { request in
                User.response(1).after(gates[Int(request.parameters["number"] ?? "") ?? 0])
            }
            /// Starts the call of a number, and waits until it has a worker, or waits for one.
            func start(_ number: Int, running: Int, waiting: Int) async throws -> Task<User, any Error> {
                let call = Task {
                    try await service.manager.request(User.self).endpoint("/{number}").parameter("number", number)
                        .send()
                }
                try await service.manager.workers.wait { $0.running == running && $0.waiting == waiting }
                return call
            }
            var calls: [Task<User, any Error>] = []
            for number in 0..<4 {
                calls.append(try await start(number, running: 1, waiting: number))
            }
            try await service.server.waitForRequests()
            #expect(service.paths == ["/0"])
            service.manager.workers.size = 3
            try await service.server.waitForRequests(count: 3)
            #expect(Set(service.paths) == ["/0", "/1", "/2"])
            calls.append(try await start(4, running: 3, waiting: 2))
            gates[0].open()
            try await service.server.waitForRequests(count: 4)
            #expect(service.paths.last == "/3")
            service.manager.workers.size = 0
            try await service.server.waitForRequests(count: 5)
            for gate in gates {
                gate.open()
            }
            for call in calls {
                #expect(try await call.value == User(id: 1))
            }
        }
    }

    @Test
    func `two calls for the next page loaded one page twice`() async throws {
        try await Service.with { service async throws in
            let gate = Gate()
            service.server.on(.get, "/list") { request in
                let page = Int(request.queryItems.first { $0.name == "page" }?.value ?? "") ?? 1
                return LoopbackResponse.json(page < 4 ? "[\(page)]" : "[]").after(gate)
            }
            let pager = service.manager.request([Int].self).endpoint("/list").pages(.number("page")).pager()
            let first = Task { try await pager.moveNext()?.items }
            try await service.server.waitForRequests()
            #expect(pager.isLoading)
            #expect(try await pager.moveNext()?.items == nil)
            gate.open()
            #expect(try await first.value == [1])
            #expect(try await pager.moveNext()?.items == [2])
            #expect(service.server.requests.count == 2)
        }
    }

    @Test
    func `a failed page ended the listing, and reset did not bring it back`() async throws {
        try await Service.with { service async throws in
            service.server.on(.get, "/list") { request in
                let page = Int(request.queryItems.first { $0.name == "page" }?.value ?? "") ?? 1
                return request.number == 2 || request.number == 4 ? .status(500) : .json("[\(page)]")
            }
            let pager = service.manager.request([Int].self).endpoint("/list").pages(.number("page")).pager()
            #expect(try await pager.moveNext()?.items == [1])
            await #expect(throws: RestClientError.self) { try await pager.moveNext() }
            #expect(pager.canMoveNext)
            #expect(try await pager.moveNext()?.items == [2])
            await #expect(throws: RestClientError.self) { try await pager.moveNext() }
            pager.reset()
            #expect(pager.canMoveNext)
            #expect(try await pager.moveNext()?.items == [1])
        }
    }
}
