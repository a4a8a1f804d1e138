// SPDX-License-Identifier: MIT

/// A step of a call whose progress is followed.
public enum CallStep<Model: Sendable>: Sendable {
    /// A body has come further.
    case progress(CallProgress)
    /// The response has come: the last step.
    case response(Response<Model>)
}
