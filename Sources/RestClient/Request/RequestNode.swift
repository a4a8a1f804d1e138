// SPDX-License-Identifier: MIT

import JobGraphs
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
    var owner: (any CallSender)?

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
}

extension RequestNode {
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

extension RequestNode: CustomStringConvertible, CustomReflectable {
    /// The method and the target as far as the node sets them, without header fields and body.
    public var description: String { RequestSummary(of: specification).description }

    /// The description and the options, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self, ["options": options.description]) }
}
