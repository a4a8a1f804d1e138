// SPDX-License-Identifier: MIT

import JobGraphs

/// The closures of the user that a node runs besides its request.
struct RequestHandlers<Model: Sendable>: Sendable {
    /// The closures that may replace the result, in order.
    var rewrites: [ResultRewrite<Model>] = []

    /// Makes a copy of the node from the result of the step before it.
    var handover: (@Sendable (RequestNode<Model>, PreviousResult) async throws -> RequestNode<Model>)?

    /// The handlers that are called with the result.
    var callbacks = RequestCallbacks<Model>()

    /// True if there is no closure.
    var isEmpty: Bool { rewrites.isEmpty && handover == nil && callbacks.isEmpty }

    /// Keeps handlers by reference: most nodes have none, and a node without them must not pay for their types.
    final class Box: Sendable {
        let handlers: RequestHandlers

        init(_ handlers: RequestHandlers) {
            self.handlers = handlers
        }
    }
}
