// SPDX-License-Identifier: MIT

public import JobGraphs
public import RestEssentials

/// One call, described as a value: alone, in a group, in a chain, from the cache or offline, it is always this value.
///
/// A node is only a description; nothing happens until it is sent. Every method returns a changed copy, so a node can
/// be stored, varied and sent any number of times, from any task.
///
/// ```swift
/// let orders = try await manager.request(.orders).parameter("user", 7).query(["page": 2]).send()
/// ```
///
/// Aliases are looked up when the node is sent. Defects of arguments are reported then, as a ``RestClientError``; no
/// method traps.
public struct RequestNode<Model: Sendable>: CallConfigurable, Sendable {
    var specification = RequestSpecification()

    /// The way in which the response becomes the model.
    var decoding: ResponseDecoding<Model> {
        didSet { specification.takesAnyType = decoding.takesAnyType }
    }

    private var boxedHandlers: RequestHandlers<Model>.Box?

    var hasHandlers: Bool { boxedHandlers != nil }

    var handlers: RequestHandlers<Model> {
        get { boxedHandlers?.handlers ?? RequestHandlers() }
        set { boxedHandlers = newValue.isEmpty ? nil : RequestHandlers.Box(newValue) }
    }

    /// The options that the node sets.
    public var options: CallOptions {
        get { specification.options }
        set { specification.options = newValue }
    }

    /// The manager that created the node; nodes created without one are sent by the shared manager.
    var owner: (any RequestSender)?

    init(decoding: ResponseDecoding<Model>) {
        self.decoding = decoding
        specification.takesAnyType = decoding.takesAnyType
    }
}

// MARK: - Creating nodes

extension RequestNode where Model: Decodable {
    /// Creates a call of an API operation.
    ///
    /// - Parameter api: The alias of the operation.
    public init(_ api: APIAlias<Model>) {
        self.init(decoding: .decodable())
        specification.target.setAPI(api.rawValue)
    }

    /// Creates a call whose target is set by further methods.
    ///
    /// - Parameter model: The type to which the response is decoded.
    public init(_ model: Model.Type) {
        self.init(decoding: .decodable())
    }
}

extension RequestNode {
    /// Creates a call of an API operation whose response is decoded by a closure; the model need not be `Decodable`.
    ///
    /// ```swift
    /// let photo = RequestNode(.photo) { response in try Photo(data: response.body) }
    /// ```
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - decode: Returns the model for the response. An error that it throws becomes the underlying error of a
    ///     ``RestClientError/Code-swift.struct/decodingFailed``.
    public init(_ api: APIAlias<Model>, decode: @escaping @Sendable (RawResponse) throws -> Model) {
        self.init(decoding: .custom(decode))
        specification.target.setAPI(api.rawValue)
    }

    /// Creates a call whose target is set by further methods and whose response is decoded by a closure; the model need
    /// not be `Decodable`.
    ///
    /// - Parameters:
    ///   - model: The type of the model.
    ///   - decode: Returns the model for the response. An error that it throws becomes the underlying error of a
    ///     ``RestClientError/Code-swift.struct/decodingFailed``.
    public init(_ model: Model.Type, decode: @escaping @Sendable (RawResponse) throws -> Model) {
        self.init(decoding: .custom(decode))
    }

    /// Creates a call of an API operation whose response is decoded to another type, and then converted; the model need
    /// not be `Decodable`.
    ///
    /// ```swift
    /// let photo = RequestNode(.photo, from: PhotoRecord.self) { record in Photo(record) }
    /// ```
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - body: The type to which the dogma decodes the response.
    ///   - convert: Returns the model. An error that it throws becomes the underlying error of a
    ///     ``RestClientError/Code-swift.struct/decodingFailed``.
    public init<Body: Decodable & Sendable>(
        _ api: APIAlias<Model>,
        from body: Body.Type,
        _ convert: @escaping @Sendable (Body) throws -> Model
    ) {
        self.init(decoding: .converted(convert))
        specification.target.setAPI(api.rawValue)
    }

    /// Creates a call whose target is set by further methods and whose response is decoded to another type, and then
    /// converted; the model need not be `Decodable`.
    ///
    /// - Parameters:
    ///   - model: The type of the model.
    ///   - body: The type to which the dogma decodes the response.
    ///   - convert: Returns the model. An error that it throws becomes the underlying error of a
    ///     ``RestClientError/Code-swift.struct/decodingFailed``.
    public init<Body: Decodable & Sendable>(
        _ model: Model.Type,
        from body: Body.Type,
        _ convert: @escaping @Sendable (Body) throws -> Model
    ) {
        self.init(decoding: .converted(convert))
    }
}

extension RequestNode where Model == Void {
    /// Creates a call of an API operation that ignores the body of the response.
    ///
    /// - Parameter api: The alias of the operation.
    public init(_ api: APIAlias<Void>) {
        self.init(decoding: .void)
        specification.target.setAPI(api.rawValue)
    }

    /// Creates a call whose target is set by further methods, and which ignores the body of the response.
    ///
    /// - Parameter model: `Void.self`.
    public init(_ model: Void.Type) {
        self.init(decoding: .void)
    }
}

extension RequestNode where Model == Data {
    /// Creates a call whose target is set by further methods, and which returns the bytes of the response.
    public init() {
        self.init(decoding: .decodable())
    }
}

extension RequestNode: MirroredWithOptions {
    /// The method and the target as far as the node sets them, without header fields and body.
    public var description: String { RequestSummary(of: specification).description }
}

extension RequestNode {
    /// Sends the call and decodes the response.
    ///
    /// The manager that created the node sends it; a node created without one is sent by ``RestClientManager/shared``.
    /// To send it with another one, use ``RestClientManager/run(_:)``.
    ///
    /// - Returns: The model.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    ///   Cancellation ends the exchange on the wire; nothing is stored afterwards.
    @concurrent
    public func send() async throws -> Model {
        try await sender.perform(self, announced: nil, early: nil).model
    }

    /// Sends the call and decodes the response.
    ///
    /// - Returns: The model with the metadata of the response: status, header fields, source, attempts, time.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    @concurrent
    public func response() async throws -> Response<Model> {
        try await sender.response(self)
    }

    /// The responses of the call: one, or with ``CachePolicy/thenNetwork`` first a stored one and then the server's.
    ///
    /// ```swift
    /// for try await response in manager.request(.orders).cache(.thenNetwork).responses() {
    ///     show(response.model, isFresh: !response.source.isCache)
    /// }
    /// ```
    ///
    /// Nothing happens until the sequence is iterated; each iteration is a separate call, which starts when the first
    /// response is requested. Ending the iteration early, or cancelling its task, cancels the call. The sequence throws
    /// the error of the call; a stored response may have been delivered before.
    ///
    /// - Returns: The responses; each has its source.
    public func responses() -> some AsyncSequence<Response<Model>, any Error> & Sendable {
        DeferredStream<Response<Model>> { [self, sender] continuation in
            let last = try await sender.response(self) { model, details in
                continuation.yield(Response(model: model, details: details))
            }
            continuation.yield(last)
        }
    }

    consuming func bound(to owner: any RequestSender) -> Self {
        self.owner = owner
        return self
    }
}

typealias ResultRewrite<Model> = @Sendable (Result<Model, any Error>) async throws -> Model

extension RequestNode {
    /// Decodes the response with a closure instead of the dogma.
    ///
    /// - Parameter decode: Returns the model for the response. An error that it throws becomes the underlying error of
    ///   a ``RestClientError/Code-swift.struct/decodingFailed``.
    /// - Returns: A changed copy.
    public consuming func decode(_ decode: @escaping @Sendable (RawResponse) throws -> Model) -> Self {
        decoding = .custom(decode)
        return self
    }

    /// Replaces the result, whether a model or an error, before anyone else sees it.
    ///
    /// `send()`, the next step of a chain, group reports and events receive the handler's result. Several handlers run
    /// in the order in which they were added. They are not called when the call is cancelled.
    ///
    /// - Parameter rewrite: Returns the model to use, or throws the error to use.
    /// - Returns: A changed copy.
    public consuming func mapResult(
        _ rewrite: @escaping @Sendable (Result<Model, any Error>) async throws -> Model
    ) -> Self {
        handlers.rewrites.append(rewrite)
        return self
    }

    /// Creates the node from the result of the previous step when it runs in a chain.
    ///
    /// ```swift
    /// let details = RequestNode(.details).handover { node, previous in
    ///     node.parameter("id", try previous.value(as: Login.self).userID)
    /// }
    /// ```
    ///
    /// - Parameter prepare: Returns the node to send instead of this one. Its previous result is empty for the first
    ///   step of a chain, and for a call that runs alone or in a concurrent group.
    /// - Returns: A changed copy.
    public consuming func handover(
        _ prepare: @escaping @Sendable (RequestNode, PreviousResult) async throws -> RequestNode
    ) -> Self {
        handlers.handover = prepare
        return self
    }
}
