// SPDX-License-Identifier: MIT

public import RestEssentials

extension RequestNode {
    /// Sets named values: the query for GET and HEAD, the body for other methods.
    ///
    /// Values for placeholders of the path are not added to the query or the body. An object or a list in them that has
    /// values of several types is written as a ``JSONValue``.
    ///
    /// ```swift
    /// manager.request(.search).values(["page": 1, "q": text, "since": date])
    /// manager.request(.createUser).values(["name": "Kim", "address": ["city": "Seoul", "floor": 7] as JSONValue])
    /// ```
    ///
    /// - Parameter values: The values by name; types of your own conform to ``JSONValueConvertible``.
    /// - Returns: A changed copy.
    public consuming func values(_ values: [String: any JSONValueConvertible]) -> Self {
        specification.model = .values(values.mapValues { $0.jsonValue })
        return self
    }

    /// Sets a model that the dogma encodes as the body, for any method.
    ///
    /// - Parameter model: The model. It is encoded when the call is sent.
    /// - Returns: A changed copy.
    public consuming func body(_ model: some Encodable & Sendable) -> Self {
        specification.model = .body(model)
        return self
    }

    /// Sets named values of any types as a body that the dogma encodes, for any method.
    ///
    /// - Parameter parameters: The values by name; types of your own conform to ``JSONValueConvertible``.
    /// - Returns: A changed copy.
    public consuming func body(_ parameters: [String: any JSONValueConvertible]) -> Self {
        body(JSONValue.object(parameters.mapValues { $0.jsonValue }))
    }

    /// Sets the bytes of the body, for any method.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - contentType: Its media type; `application/octet-stream` by default.
    /// - Returns: A changed copy.
    public consuming func body(_ bytes: Data, contentType: String? = "application/octet-stream") -> Self {
        body(.bytes(bytes, contentType: contentType))
    }

    /// Sets a body that is sent unchanged, for any method: a file, a form, a stream or bytes.
    ///
    /// ```swift
    /// try await manager.request(.avatar).body(.file("/photos/me.jpg")).send()
    /// ```
    ///
    /// Such calls use no cache and share no request, unless the body is in memory. Their timeout is that of the whole
    /// call, so give large bodies more time.
    ///
    /// - Parameter body: The body.
    /// - Returns: A changed copy.
    public consuming func body(_ body: RequestBody) -> Self {
        specification.model = .content(body)
        return self
    }

    /// Sets a model that encodes itself as the body, for any method.
    ///
    /// - Parameter payload: The model. It is encoded when the call is sent.
    /// - Returns: A changed copy.
    @_disfavoredOverload
    public consuming func body(_ payload: some RequestPayload) -> Self {
        specification.model = .payload(payload)
        return self
    }

    /// Sets a model that encodes itself as the body, although the dogma could encode it, too.
    ///
    /// - Parameter payload: The model. It is encoded when the call is sent.
    /// - Returns: A changed copy.
    public consuming func body(_ payload: some RequestPayload & Encodable) -> Self {
        specification.model = .payload(payload)
        return self
    }
}

// MARK: - Values that are not JSON

extension RequestNode {
    /// Unavailable: a value is not JSON, or a nested object or list has values of several types.
    @available(
        *,
        unavailable,
        message: "write [\"a\": 1, \"b\": text.jsonValue] as JSONValue, or use an Encodable model"
    )
    @_disfavoredOverload
    public consuming func values<Value>(_ values: [String: Value]) -> Self {
        self
    }

    /// Unavailable: a value is not JSON, or a nested object or list has values of several types.
    @available(
        *,
        unavailable,
        message: "write [\"a\": 1, \"b\": text.jsonValue] as JSONValue, or use an Encodable model"
    )
    @_disfavoredOverload
    public consuming func body<Value>(_ parameters: [String: Value]) -> Self {
        self
    }

    /// Sends a file as the body, and decodes the response.
    ///
    /// ```swift
    /// let line = ProgressLine("today.tar")
    /// try await manager.request(.backup).upload(from: "/backups/today.tar", progress: line.show)
    /// line.finish()
    /// ```
    ///
    /// The file is read while it is sent, and only as fast as the network accepts it. It replaces a body that was set
    /// before: this is ``body(_:)-(RequestBody)`` with ``RequestBody/file(_:contentType:)-(String,_)``, and then
    /// ``send()``. The call's timeout is that of the whole upload, so give large files more time. A retry begins again
    /// with the first byte.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - contentType: Its media type; derived from its name by default.
    ///   - progress: Takes the progress of the upload, a few times a second, besides the handlers of
    ///     ``onProgress(of:_:)``.
    /// - Returns: The model.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled. A
    ///   call with the method GET or HEAD is not sent, and fails with
    ///   ``RestClientError/Code-swift.struct/bodyNotAllowed``.
    @concurrent
    @discardableResult
    public func upload(
        from path: String,
        contentType: String? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Model {
        var node = self
        node.specification.isUpload = true
        node.specification.model = .content(.file(path, contentType: contentType))
        if let progress {
            node.specification.report { report in
                if report.direction == .sent {
                    progress(report.transfer)
                }
            }
        }
        return try await node.send()
    }
}
