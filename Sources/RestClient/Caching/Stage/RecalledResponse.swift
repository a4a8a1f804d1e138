// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// A stored response that is used unchanged, with the reason.
struct RecalledResponse: Sendable {
    let row: RecalledRow
    let use: CacheUse
    /// The time of the decision.
    let decidedAt: Date
    /// True if the policy of the call keeps models.
    let keepsModels: Bool
    /// The stored entry; `nil` if the memory does not hold it.
    let held: HeldEntry?

    /// The body; `nil` if the memory does not hold it.
    var body: Data? { held?.entry.body }

    var explanation: CacheExplanation { row.explanation(use) }

    /// Returns the response with its body.
    func response(_ body: Data) -> RawResponse {
        row.response(body, age: use.age)
    }

    /// Returns the body in the store, which the memory does not hold; `nil` if the row has changed.
    func storedBody() async -> Data? {
        await row.storedBody(now: decidedAt)
    }

    /// Returns the model that an equal call decoded from the same bytes.
    func keptModel<Model: Sendable>(_: Model.Type) -> KeptModel<Model>? {
        // The cast to a class is exact: a model is never converted to an optional or an existential one.
        guard keepsModels, let companion = held?.companion, let kept = companion as? KeptModel<Model>,
            kept.row === row.identity
        else {
            return nil
        }
        return kept
    }

    /// Keeps the model of a body for equal calls if the policy asks for it.
    func keep<Model: Sendable>(_ model: Model, of body: Data) {
        if keepsModels {
            row.keep(KeptModel(model, of: row.identity), cost: body.count)
        }
    }
}

/// The model of a stored response, kept beside its bytes for calls that are equal to the one that decoded it.
final class KeptModel<Model: Sendable>: Sendable {
    /// The row of the calls that may receive the model: those of one request, which share their dogma.
    let row: RecalledRow.Identity
    let model: Model

    init(_ model: Model, of row: RecalledRow.Identity) {
        self.model = model
        self.row = row
    }
}
