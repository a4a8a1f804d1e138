// SPDX-License-Identifier: MIT

import JobGraphs

/// The user's closures that a node runs in addition to its request.
struct RequestHandlers<Model: Sendable>: Sendable {
    /// The closures that may replace the result, in order.
    var rewrites: [ResultRewrite<Model>] = []

    /// Creates a copy of the node from the result of the previous step.
    var handover: (@Sendable (RequestNode<Model>, PreviousResult) async throws -> RequestNode<Model>)?

    /// The handlers for the result.
    var callbacks = RequestCallbacks<Model>()

    /// True if there are no closures.
    var isEmpty: Bool { rewrites.isEmpty && handover == nil && callbacks.isEmpty }

    /// Stores handlers by reference: most nodes have none, and a node without them must not pay for their types.
    final class Box: Sendable {
        let handlers: RequestHandlers

        init(_ handlers: RequestHandlers) {
            self.handlers = handlers
        }
    }
}
