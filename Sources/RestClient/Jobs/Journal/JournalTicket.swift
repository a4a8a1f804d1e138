// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

/// What the unsafe requests of a node need to be found again after a crash.
final class JournalTicket: Sendable {
    let session: JournalSession
    /// The row of the node.
    let key: String
    let inputs: String
    /// What the requests of the node are told apart by, from those of other nodes and other runs.
    let idempotencyKey: String
    private let hasBegun = Atomic<Bool>(false)

    init(session: JournalSession, key: String, inputs: String, idempotencyKey: String) {
        self.session = session
        self.key = key
        self.inputs = inputs
        self.idempotencyKey = idempotencyKey
    }

    /// Whether an unsafe request of the node went out.
    var isOpen: Bool { hasBegun.load(ordering: .acquiring) }

    /// Stores that an unsafe request goes out, and gives it its key; safe requests pass as they are.
    ///
    /// - Parameters:
    ///   - node: The request.
    ///   - part: Tells the requests of one node apart, as those of a loop.
    ///   - manager: The manager that sends it.
    /// - Returns: The request to send.
    /// - Throws: What keeps the request from being resolved, or the record from being stored.
    func prepare<Model>(
        _ node: RequestNode<Model>,
        part: String,
        _ manager: RestClientManager
    ) async throws -> RequestNode<Model> {
        let request = try manager.runner
            .resolve(node.specification, id: .next(), groupID: nil, start: manager.core.clock.now()).request
        guard !request.method.isIdempotent else {
            return node
        }
        if !hasBegun.exchange(true, ordering: .acquiringAndReleasing) {
            try await session.begin(self)
        }
        var node = node
        if let name = HTTPField.Name("Idempotency-Key"), request.headers[name] == nil {
            node.specification.headers[name] = idempotencyKey + part
        }
        return node
    }
}
