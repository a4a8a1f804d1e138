// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Adds the members of a model to the query, in the order of their names; null values are left out.
    ///
    /// ```swift
    /// struct Filter: Encodable { var state: State; var minimum: Int?; var tags: [String] }
    ///
    /// let orders = try await manager.request(.orders).query(Filter(state: .open, tags: ["new"])).send()
    /// ```
    ///
    /// The model is encoded as the JSON dogma of the call encodes it, with its strategies for keys and dates, and as
    /// ``CallConfigurable/queryEncoding(_:)`` says. A model that is not an object at its top fails the call with
    /// ``RestClientError/Code-swift.struct/encodingFailed``.
    ///
    /// - Parameter model: The model.
    /// - Returns: A changed copy.
    @_disfavoredOverload
    public consuming func query(_ model: some Encodable & Sendable) -> Self {
        specification.queryModels.append(model)
        return self
    }
}
