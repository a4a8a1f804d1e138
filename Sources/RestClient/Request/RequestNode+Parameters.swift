// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sets the value of a placeholder of the path.
    ///
    /// The value is percent-encoded as one segment: it can neither add a segment nor remove one. A name that the path
    /// does not contain makes the call fail with ``RestClientError/Code-swift.struct/invalidPathParameter``.
    ///
    /// - Parameters:
    ///   - name: The placeholder's name, as in `{name}` or `$0`.
    ///   - value: Its value; null means the default.
    /// - Returns: A changed copy.
    public consuming func parameter(_ name: String, _ value: some JSONValueConvertible) -> Self {
        specification.pathParameters.set(name, value.jsonValue)
        return self
    }

    /// Adds items to the query, in the order given; null values are omitted.
    ///
    /// - Parameter items: Names and values, both percent-encoded; types of your own conform to
    ///   ``JSONValueConvertible``.
    /// - Returns: A changed copy.
    public consuming func query(_ items: KeyValuePairs<String, any JSONValueConvertible>) -> Self {
        specification.query += items.map { ($0.key, $0.value.jsonValue) }
        return self
    }

    /// Adds items to the query, in the order of their names; null values are omitted.
    ///
    /// - Parameter items: Names and values. Both are percent-encoded.
    /// - Returns: A changed copy.
    @_disfavoredOverload
    public consuming func query(_ items: [String: any JSONValueConvertible]) -> Self {
        specification.query += items.sorted { $0.key < $1.key }.map { ($0.key, $0.value.jsonValue) }
        return self
    }

    /// Adds one item to the query; null is omitted.
    ///
    /// - Parameters:
    ///   - name: The item's name.
    ///   - value: Its value; a list becomes several items.
    /// - Returns: A changed copy.
    public consuming func query(_ name: String, _ value: some JSONValueConvertible) -> Self {
        specification.query.append((name, value.jsonValue))
        return self
    }
}

// MARK: - Values that are not parameters

extension RequestNode {
    /// Unavailable: a value is not a parameter.
    @available(*, unavailable, message: "conform the type of each value to JSONValueConvertible, or convert the value")
    @_disfavoredOverload
    public consuming func query<Value>(_ items: [String: Value]) -> Self {
        self
    }

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
