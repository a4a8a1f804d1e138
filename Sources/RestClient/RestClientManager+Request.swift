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

    /// Creates a call from a node of any manager, such as one whose model is not `Decodable`.
    ///
    /// ```swift
    /// let photo = manager.request(RequestNode(.photo, from: PhotoRecord.self) { Photo($0) })
    /// ```
    public func request<Model>(_ node: RequestNode<Model>) -> RequestNode<Model> {
        node.bound(to: self)
    }

    /// Creates a call whose target is set by further methods, and which ignores the body of the response.
    public func request(_ model: Void.Type) -> RequestNode<Void> {
        RequestNode(model).bound(to: self)
    }

    /// Creates a call whose target is set by further methods, and which returns the bytes of the response.
    ///
    /// - Returns: A node that this manager sends.
    public func request() -> RequestNode<Data> {
        RequestNode().bound(to: self)
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
