// SPDX-License-Identifier: MIT

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
