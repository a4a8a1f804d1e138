// SPDX-License-Identifier: MIT

/// A stored response that is used unchanged, with the reason.
struct RecalledResponse: Sendable {
    let response: RawResponse
    let use: CacheUse
    let explanation: CacheExplanation
    /// The row of the response; `nil` if its policy keeps no models.
    let row: RecalledRow?
    /// The object that is kept beside the bytes.
    let companion: (any AnyObject & Sendable)?

    /// Returns the model that an equal call decoded from the same bytes.
    func keptModel<Model: Sendable>(_: Model.Type) -> Model? {
        // The cast to a class is exact: a model is never converted to an optional or an existential one.
        guard let companion, let kept = companion as? KeptModel<Model>, kept.row === row?.identity else {
            return nil
        }
        return kept.model
    }

    /// Keeps the model for equal calls if the policy asks for it.
    func keep<Model: Sendable>(_ model: Model) {
        guard let row else {
            return
        }
        row.keep(KeptModel(model, of: row.identity), cost: response.body.count)
    }
}
