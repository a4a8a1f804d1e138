// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import SharedStore

extension SharedKey where Value == Session {
    /// The session, compressed and encrypted on disk.
    ///
    /// A real program gets the key from a keychain or a secret store.
    static func session(_ key: SealingKey) -> Self { .init("session", codec: .gzipSealed(key)) }
}

struct Orchestration: Sendable {
    let address: String
    let store: URL?

    func run() async throws {
        let directory = store ?? FileManager.default.temporaryDirectory.appendingPathComponent("demo-\(UUID())")
        defer { if store == nil { try? FileManager.default.removeItem(at: directory) } }
        let key = SealingKey.generate()
        let log = CallLog()
        let manager = RestClientManager()
        manager.registerShop(at: address)
        try manager.persist(in: directory)
        let observation = manager.observe(.all, log.note)
        defer { observation.cancel() }

        print("\nA chain: log in, keep the session, ask who we are. Each step is handed the result before it.")
        let login = manager.request(.login).values(["user": "ada"])
        let keep = LocalJob("keep session") { previous in
            let session = try previous.value(as: Session.self)
            try manager.sharedData.set(session, for: .session(key))
            return session
        }
        let me = manager.request(.user)
            .handover { node, previous in
                let session = try previous.value(as: Session.self)
                return node.bearer(session.token).parameter("id", session.user)
            }
        let chain = await manager.serially([login, keep, me])
        let user = try chain.value(at: 2, as: User.self)
        print("  We are \(user.name).")

        // From now on every request carries the session's token; it is requested again before each attempt.
        manager.options = manager.options.header(.authorization) {
            try manager.sharedData.value(for: .session(key)).map { "Bearer \($0.token)" }
        }

        print("\nA fan-out: all users' orders at once, at most three on the wire, into one local job.")
        manager.workers.size = 3
        let total = try await totalOfAllOrders(manager)
        print("  They ordered for \(total) in all.")

        print("\nA group with a slow and a failing member: each keeps its own outcome.")
        let group = await manager.concurrently([manager.request(.slow), manager.request(.failing)])
        for outcome in group.outcomes {
            print("  → \(outcome.value ?? outcome.error.map { "\($0)" } ?? "cancelled")")
        }

        print("\nThe fan-out once more: the orders come from the cache.")
        let again = try await totalOfAllOrders(manager)
        print("  Still \(again).")

        print("\nOne page as if its copy were too old: the server only confirms that nothing changed (ETag, 304).")
        let page = try await manager.request(.orders).parameter("id", 1).query("page", 1)
            .cache(.elseNetwork(maxAge: .nanoseconds(1)))
            .response()
        print("  \(page.model.orders.count) orders, \(page.source).")

        print("\nAnother manager on the same directory reads the session back:")
        let other = RestClientManager()
        try other.persist(in: directory)
        print("  user \(try other.sharedData.value(for: .session(key))?.user ?? 0), still signed in.")

        print("\nAll calls:")
        log.printTable()
    }

    /// Every page of every user's orders: pages one after the other, users at once.
    private func totalOfAllOrders(_ manager: RestClientManager) async throws -> Double {
        let users = try await manager.request(.users).send()
        let pages = users.map { user in
            LocalJob("orders of \(user.name)") {
                var orders: [Order] = []
                var next: Int? = 1
                while let number = next {
                    let page = try await manager.request(.orders).parameter("id", user.id)
                        .query("page", number)
                        .send()
                    orders += page.orders
                    next = page.next
                }
                return orders
            }
        }
        let report = await manager.concurrently(pages)
        return try await manager.run(LocalJob("sum") { report.values.joined().reduce(0) { $0 + $1.total } })
    }
}
