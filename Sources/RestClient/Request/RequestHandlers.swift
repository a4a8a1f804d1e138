// SPDX-License-Identifier: MIT

import JobGraphs

/// The user's closures that a node runs in addition to its request.
struct RequestHandlers<Model: Sendable>: Sendable {
    var rewrites: [ResultRewrite<Model>] = []

    /// Creates a copy of the node from the result of the previous step.
    var handover: (@Sendable (RequestNode<Model>, PreviousResult) async throws -> RequestNode<Model>)?

    var callbacks = RequestCallbacks<Model>()

    var isEmpty: Bool { rewrites.isEmpty && handover == nil && callbacks.isEmpty }

    /// Stores handlers by reference: most nodes have none, and a node without them must not pay for their types.
    final class Box: Sendable {
        let handlers: RequestHandlers

        init(_ handlers: RequestHandlers) {
            self.handlers = handlers
        }
    }
}
