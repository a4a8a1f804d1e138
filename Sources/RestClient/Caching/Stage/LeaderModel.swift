// SPDX-License-Identifier: MIT

import Synchronization

/// The model that the leader of a shared request has decoded.
final class LeaderModel<Model: Sendable>: Sendable {
    private let model = Mutex<Model?>(nil)

    /// Stores the model; `nil` if none was decoded.
    func keep(_ model: Model?) {
        self.model.withLock { $0 = model }
    }

    /// Removes and returns the model.
    func take() -> Model? {
        model.withLock { $0.take() }
    }
}
