// SPDX-License-Identifier: MIT

import Synchronization

/// The model that the leader of a shared request decodes on the way, so that it need not decode it again.
final class LeaderModel<Model: Sendable>: Sendable {
    private let model = Mutex<Model?>(nil)

    /// Keeps the model; `nil` when none was decoded.
    func keep(_ model: Model?) {
        self.model.withLock { $0 = model }
    }

    /// Hands the model over.
    func take() -> Model? {
        model.withLock { $0.take() }
    }
}
