// SPDX-License-Identifier: MIT

import JobGraphs
public import RestEssentials

/// One call, described as a value: alone, in a group, in a chain, from the cache or offline, it is always this value.
///
/// A node describes; nothing happens until it is sent. Every verb returns a changed copy, so a node can be kept, varied
/// and sent any number of times, from any task.
///
/// ```swift
/// let orders = try await manager.request(.orders).parameter("user", 7).query(["page": 2]).send()
/// ```
///
/// Aliases are looked up when the node is sent. Whatever is wrong with an argument is reported then, as a
/// ``RestClientError``; no verb traps.
public struct RequestNode<Model: Sendable>: CallConfigurable, Sendable {
    /// Everything the node says, apart from its model's type.
    var specification = RequestSpecification()

    /// How the response becomes the model.
    var decoding: ResponseDecoding<Model>

    private var boxedHandlers: RequestHandlers<Model>.Box?

    /// True if the user's closures run besides the request.
    var hasHandlers: Bool { boxedHandlers != nil }

    /// The closures of the user.
    var handlers: RequestHandlers<Model> {
        get { boxedHandlers?.handlers ?? RequestHandlers() }
        set { boxedHandlers = newValue.isEmpty ? nil : RequestHandlers.Box(newValue) }
    }

    /// The options that the node sets.
    public var options: CallOptions {
        get { specification.options }
        set { specification.options = newValue }
    }

    /// The manager that made the node; nodes made without one are sent by the shared manager.
    var owner: (any CallSender)?

    init(decoding: ResponseDecoding<Model>) {
        self.decoding = decoding
    }
}

// MARK: - Making nodes

extension RequestNode where Model: Decodable {
    /// Creates a call of an API operation.
    ///
    /// - Parameter api: The alias of the operation.
    public init(_ api: APIAlias<Model>) {
        self.init(decoding: .decodable())
        specification.target.setAPI(api.rawValue)
    }

    /// Creates a call whose target is set by verbs.
    ///
    /// - Parameter model: The type that the response decodes to.
    public init(_ model: Model.Type) {
        self.init(decoding: .decodable())
    }
}

extension RequestNode {
    /// Creates a call of an API operation whose response becomes the model by a closure; the model needs not be
    /// `Decodable`.
    ///
    /// ```swift
    /// let photo = RequestNode(.photo) { response in try Photo(data: response.body) }
    /// ```
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - decode: Makes the model from the response. What it throws becomes the underlying error of a
    ///     ``RestClientError/Code-swift.struct/decodingFailed``.
    public init(_ api: APIAlias<Model>, decode: @escaping @Sendable (RawResponse) throws -> Model) {
        self.init(decoding: .custom(decode))
        specification.target.setAPI(api.rawValue)
    }

    /// Creates a call whose target is set by verbs, and whose response becomes the model by a closure; the model needs
    /// not be `Decodable`.
    ///
    /// - Parameters:
    ///   - model: The type of the model.
    ///   - decode: Makes the model from the response. What it throws becomes the underlying error of a
    ///     ``RestClientError/Code-swift.struct/decodingFailed``.
    public init(_ model: Model.Type, decode: @escaping @Sendable (RawResponse) throws -> Model) {
        self.init(decoding: .custom(decode))
    }
}

extension RequestNode where Model == Void {
    /// Creates a call of an API operation whose response's body does not matter.
    ///
    /// - Parameter api: The alias of the operation.
    public init(_ api: APIAlias<Void>) {
        self.init(decoding: .void)
        specification.target.setAPI(api.rawValue)
    }

    /// Creates a call whose target is set by verbs, and whose response's body does not matter.
    ///
    /// - Parameter model: `Void.self`.
    public init(_ model: Void.Type) {
        self.init(decoding: .void)
    }
}

extension RequestNode where Model == Data {
    /// Creates a call whose target is set by verbs, and whose response is the bytes as received.
    public init() {
        self.init(decoding: .decodable())
    }
}

extension RequestNode: CustomStringConvertible, CustomReflectable {
    /// Method and target as far as the node says them, without header fields and body.
    public var description: String { RequestSummary(of: specification).description }

    /// The description and the options, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self, ["options": options.description]) }
}
