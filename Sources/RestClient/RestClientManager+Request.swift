// SPDX-License-Identifier: MIT

public import JobGraphs
public import RestEssentials

extension RestClientManager {
    /// Creates a call of an API operation.
    ///
    /// - Parameter api: The alias of the operation.
    /// - Returns: A node that this manager sends.
    public func request<Model: Decodable & Sendable>(_ api: APIAlias<Model>) -> RequestNode<Model> {
        RequestNode(api).bound(to: self)
    }

    /// Creates a call of an API operation that ignores the body of the response.
    ///
    /// - Parameter api: The alias of the operation.
    /// - Returns: A node that this manager sends.
    public func request(_ api: APIAlias<Void>) -> RequestNode<Void> {
        RequestNode(api).bound(to: self)
    }

    /// Creates a call whose target is set by further methods.
    ///
    /// - Parameter model: The type to which the response is decoded.
    /// - Returns: A node that this manager sends.
    public func request<Model: Decodable & Sendable>(_ model: Model.Type) -> RequestNode<Model> {
        RequestNode(model).bound(to: self)
    }

    /// Creates a call of an API operation whose response is decoded by a closure; the model need not be `Decodable`.
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - decode: Returns the model for the response.
    /// - Returns: A node that this manager sends.
    public func request<Model: Sendable>(
        _ api: APIAlias<Model>,
        decode: @escaping @Sendable (RawResponse) throws -> Model
    ) -> RequestNode<Model> {
        RequestNode(api, decode: decode).bound(to: self)
    }

    /// Creates a call whose target is set by further methods and whose response is decoded by a closure; the model need
    /// not be `Decodable`.
    ///
    /// - Parameters:
    ///   - model: The type of the model.
    ///   - decode: Returns the model for the response.
    /// - Returns: A node that this manager sends.
    public func request<Model: Sendable>(
        _ model: Model.Type,
        decode: @escaping @Sendable (RawResponse) throws -> Model
    ) -> RequestNode<Model> {
        RequestNode(model, decode: decode).bound(to: self)
    }

    /// Creates a call of an API operation whose response is decoded to another type, and then converted.
    ///
    /// ```swift
    /// let photo = try await manager.request(.photo, from: PhotoRecord.self) { Photo($0) }.parameter("id", 7).send()
    /// ```
    ///
    /// - Parameters:
    ///   - api: The alias of the operation; its model need not be `Decodable`.
    ///   - body: The type to which the dogma decodes the response.
    ///   - convert: Returns the model.
    /// - Returns: A node that this manager sends.
    public func request<Model: Sendable, Body: Decodable & Sendable>(
        _ api: APIAlias<Model>,
        from body: Body.Type,
        _ convert: @escaping @Sendable (Body) throws -> Model
    ) -> RequestNode<Model> {
        RequestNode(api, from: body, convert).bound(to: self)
    }

    /// Creates a call whose target is set by further methods and whose response is decoded to another type, and then
    /// converted.
    ///
    /// - Parameters:
    ///   - model: The type of the model, which need not be `Decodable`.
    ///   - body: The type to which the dogma decodes the response.
    ///   - convert: Returns the model.
    /// - Returns: A node that this manager sends.
    public func request<Model: Sendable, Body: Decodable & Sendable>(
        _ model: Model.Type,
        from body: Body.Type,
        _ convert: @escaping @Sendable (Body) throws -> Model
    ) -> RequestNode<Model> {
        RequestNode(model, from: body, convert).bound(to: self)
    }

    /// Creates a call whose target is set by further methods, and which ignores the body of the response.
    ///
    /// - Parameter model: `Void.self`.
    /// - Returns: A node that this manager sends.
    public func request(_ model: Void.Type) -> RequestNode<Void> {
        RequestNode(model).bound(to: self)
    }

    /// Creates a call whose target is set by further methods, and which returns the bytes of the response.
    ///
    /// - Returns: A node that this manager sends.
    public func request() -> RequestNode<Data> {
        RequestNode().bound(to: self)
    }

    /// Sends a node of any manager, and decodes the response.
    ///
    /// - Parameter node: The node.
    /// - Returns: The model with the metadata of the response.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    @concurrent
    package func response<Model>(_ node: RequestNode<Model>) async throws -> Response<Model> {
        try await response(node, early: nil)
    }

    /// Runs a single job: a local job, a request of any manager, or a job of your own.
    ///
    /// - Parameter job: The job.
    /// - Returns: The job's result.
    /// - Throws: The error of the job.
    @concurrent
    public func run<Work: Job>(_ job: Work) async throws -> Work.Output {
        try await job.run(in: JobContext(jobHost))
    }
}
