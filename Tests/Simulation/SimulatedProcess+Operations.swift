// SPDX-License-Identifier: MIT

import JobGraphs
import RestClient
import RestEssentials

extension SimulatedProcess {
    /// Does one operation, and checks its results.
    func perform(_ operation: Operation) async throws {
        let began = Scheduler.shared.now
        defer { checkTime(of: operation, since: began) }
        switch operation.kind {
        case .read(let item, let caching, let isHedged, let isShared):
            try await read(item, caching, isHedged: isHedged, isShared: isShared, operation)
        case .callback(let item): try await callback(item, operation)
        case .twice(let item): try await twice(item, operation)
        case .write(let item): try await write(item, operation)
        case .order(let hasKey): try await order(hasKey: hasKey, operation)
        case .invalidate(let item): try await invalidate(item)
        case .group(let count, let limit, let isSerial): await group(count, limit, isSerial: isSerial, operation)
        case .queue(let count, let limit): await queue(count, limit, operation)
        case .graph(let count): try await graph(count, operation)
        case .durable(let count, let policy): try await durable(count, policy, operation)
        case .queued(let count, let policy): try await queued(count, policy, operation)
        }
    }

    /// A call with a time limit ends within it, but for what the disk still does.
    private func checkTime(of operation: Operation, since began: Duration) {
        guard let timeout = operation.timeout, operation.hasTimeout, !Scheduler.shared.isHasty else {
            return
        }
        let took = Scheduler.shared.now - began
        if took > timeout + .milliseconds(500) {
            ledger.defect("\(operation) took \(took)")
        }
    }

    func node(_ item: String, _ operation: Operation?) -> RequestNode<Item> {
        var node = manager.request(Item.self).endpoint("/items/{name}").parameter("name", item)
        if let operation {
            node = node.tags(operation.tag)
        }
        if let timeout = operation?.timeout {
            node = node.timeout(timeout)
        }
        if let field = Ledger.tokenField {
            node = node.header(field, "\(latestToken)")
        }
        return node
    }

    // MARK: - Calls

    private func read(
        _ item: String,
        _ caching: Operation.Caching,
        isHedged: Bool,
        isShared: Bool,
        _ operation: Operation
    ) async throws {
        var node = node(item, operation)
        switch caching {
        case .none: break
        case .http: node = node.cache(.http)
        case .elseNetwork: node = node.cache(.elseNetwork(maxAge: .seconds(5)))
        case .cacheOnly: node = node.cache(.cacheOnly())
        case .networkElseCache: node = node.cache(.networkElseCache())
        case .refreshing: node = node.cache(.staleWhileRevalidate(maxAge: .seconds(1)))
        }
        if isHedged {
            node = node.hedging(.after(.milliseconds(30)))
        }
        if isShared {
            node = node.sharingFlight(as: item)
        }
        let floor = ledger.floor(of: item)
        let response = try await node.response()
        check(response.model, item)
        // The other ways may deliver responses that are known to be old.
        let mustBeValid = [.http, .elseNetwork, .cacheOnly].contains(caching)
        if mustBeValid, case .cache = response.source, server.confirmation(of: response.model) < floor {
            ledger.defect("\(operation) received \(response.model) from the cache, invalidated by request \(floor)")
        }
    }

    private func check(_ model: Item, _ item: String) {
        if model.name != item {
            ledger.defect("a call for \(item) received \(model)")
        }
    }

    private func callback(_ item: String, _ operation: Operation) async throws {
        let ends = Tally()
        let call = node(item, operation)
            .onSuccess { _ in ends.add() }
            .onError { _ in ends.add() }
            .onError(of: .cancelled) { _ in ends.add() }
            .resume()
        await withTaskCancellationHandler {
            await call.finished()
        } onCancel: {
            call.cancel()
        }
        if ends.count != 1 {
            ledger.defect("\(operation) called \(ends.count) of its last callbacks")
        }
    }

    private func twice(_ item: String, _ operation: Operation) async throws {
        var count = 0
        for try await response in node(item, operation).cache(.thenNetwork).responses() {
            check(response.model, item)
            count += 1
        }
        if count > 2 || count == 0 && !Task.isCancelled {
            ledger.defect("\(operation) delivered \(count) responses")
        }
    }

    private func write(_ item: String, _ operation: Operation) async throws {
        let failures = disk?.failures
        let model = try await node(item, operation).put().send()
        // What the disk refused to invalidate is still there.
        if disk?.failures == failures, !Task.isCancelled {
            ledger.invalidated(item, at: model.serial)
        }
    }

    private func order(hasKey: Bool, _ operation: Operation) async throws {
        let name = "order-\(operation.number)"
        var node = manager.request(Item.self).post().endpoint("/orders/{name}").parameter("name", name)
        if hasKey {
            var retry = settings.retry
            retry.retriesUnsafeWork = true
            node = node.header("Idempotency-Key", name).retry(retry)
        }
        _ = try await node.send()
        if server.acts(on: name) != 1 {
            ledger.defect("\(operation) succeeded, and was done \(server.acts(on: name)) times")
        }
    }

    private func invalidate(_ item: String) async throws {
        let (serial, failures) = (server.serial, disk?.failures)
        do {
            try await manager.cache.invalidate(.path("/items/\(item)"))
        } catch  where disk != nil {
            return
        }
        if disk?.failures == failures, !Task.isCancelled {
            ledger.invalidated(item, at: serial)
        }
    }

    // MARK: - Groups

    private func group(_ count: Int, _ limit: Int?, isSerial: Bool, _ operation: Operation) async {
        let nodes = (0..<count).map { node("member\($0)", nil) }
        let report =
            isSerial
            ? await manager.serially(nodes, onFailure: .continue) : await manager.concurrently(nodes, limit: limit)
        if report.outcomes.count != count {
            ledger.defect("\(operation) has \(report.outcomes.count) outcomes of \(count) calls")
        }
        for (index, outcome) in report.outcomes.enumerated() {
            if let value = outcome.value {
                check(value, "member\(index)")
            }
        }
    }

    /// Runs jobs that begin in their order, as far as the pool is concerned.
    private func queue(_ count: Int, _ limit: Int?, _ operation: Operation) async {
        let jobs = (0..<count)
            .map { index in
                LocalJob("job\(index)") { [ledger] in
                    ledger.jobBegan(index, of: operation.number)
                    try await VirtualClock().sleep(for: .milliseconds(index * 37 % 100))
                    return index
                }
            }
        let report = await manager.concurrently(jobs, limit: limit)
        for (index, outcome) in report.outcomes.enumerated() where outcome.value.map({ $0 != index }) ?? false {
            ledger.defect("\(operation) has the outcome of another job at \(index)")
        }
    }
}
