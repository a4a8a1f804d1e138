// SPDX-License-Identifier: MIT

public import JobGraphs
public import RestEssentials

extension RestClientManager {
    /// Begins a call of an API operation.
    ///
    /// - Parameter api: The alias of the operation.
    /// - Returns: A node that this manager sends.
    public func request<Model: Decodable & Sendable>(_ api: APIAlias<Model>) -> RequestNode<Model> {
        RequestNode(api).bound(to: self)
    }

    /// Begins a call of an API operation whose response's body does not matter.
    ///
    /// - Parameter api: The alias of the operation.
    /// - Returns: A node that this manager sends.
    public func request(_ api: APIAlias<Void>) -> RequestNode<Void> {
        RequestNode(api).bound(to: self)
    }

    /// Begins a call whose target is set by verbs.
    ///
    /// - Parameter model: The type that the response decodes to.
    /// - Returns: A node that this manager sends.
    public func request<Model: Decodable & Sendable>(_ model: Model.Type) -> RequestNode<Model> {
        RequestNode(model).bound(to: self)
    }

    /// Begins a call of an API operation whose response becomes the model by a closure; the model needs not be
    /// `Decodable`.
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - decode: Makes the model from the response.
    /// - Returns: A node that this manager sends.
    public func request<Model: Sendable>(
        _ api: APIAlias<Model>,
        decode: @escaping @Sendable (RawResponse) throws -> Model
    ) -> RequestNode<Model> {
        RequestNode(api, decode: decode).bound(to: self)
    }

    /// Begins a call whose target is set by verbs, and whose response becomes the model by a closure; the model needs
    /// not be `Decodable`.
    ///
    /// - Parameters:
    ///   - model: The type of the model.
    ///   - decode: Makes the model from the response.
    /// - Returns: A node that this manager sends.
    public func request<Model: Sendable>(
        _ model: Model.Type,
        decode: @escaping @Sendable (RawResponse) throws -> Model
    ) -> RequestNode<Model> {
        RequestNode(model, decode: decode).bound(to: self)
    }

    /// Begins a call whose target is set by verbs, and whose response's body does not matter.
    ///
    /// - Parameter model: `Void.self`.
    /// - Returns: A node that this manager sends.
    public func request(_ model: Void.Type) -> RequestNode<Void> {
        RequestNode(model).bound(to: self)
    }

    /// Begins a call whose target is set by verbs, and whose response is the bytes as received.
    ///
    /// - Returns: A node that this manager sends.
    public func request() -> RequestNode<Data> {
        RequestNode().bound(to: self)
    }

    /// Sends a node, whichever manager made it, and decodes the response.
    ///
    /// - Parameter node: What to send.
    /// - Returns: The model with everything that is known about the response.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    @concurrent
    package func response<Model>(_ node: RequestNode<Model>) async throws -> Response<Model> {
        try await response(node, early: nil)
    }

    /// Runs a job alone: a local job, a request, whichever manager made it, or a job of your own.
    ///
    /// - Parameter job: The job.
    /// - Returns: The job's result.
    /// - Throws: What the job throws.
    @concurrent
    public func run<Work: Job>(_ job: Work) async throws -> Work.Output {
        try await job.run(in: JobContext(jobHost))
    }
}
