// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

extension RequestNode {
    /// Sends the call to an address; replaces server and API aliases that were set before.
    ///
    /// - Parameter address: A host with optional scheme, port and path, as in
    ///   ``Server/init(_:)``.
    /// - Returns: A changed copy.
    public consuming func serverAddress(_ address: String) -> Self {
        specification.target.setAddress(address)
        return self
    }

    /// Sends the call to a registered server; replaces an address or API alias that was set before.
    ///
    /// - Parameter alias: The server's alias.
    /// - Returns: A changed copy.
    public consuming func server(_ alias: ServerAlias) -> Self {
        specification.target.setServer(alias)
        return self
    }

    /// Sets the path below the server's address; replaces an API alias that was set before.
    ///
    /// - Parameter template: The path, with `{name}` placeholders and an optional leading slash.
    /// - Returns: A changed copy.
    public consuming func endpoint(_ template: PathTemplate) -> Self {
        specification.target.setEndpoint(template)
        return self
    }

    /// Unavailable: the path is a text, whose values could no longer be distinguished from its segments.
    @available(
        *,
        unavailable,
        message: "write the path here, as in endpoint(\"/orders/\\(id)\"), or PathTemplate(path) for a text"
    )
    @_disfavoredOverload
    public consuming func endpoint(_ path: String) -> Self {
        self
    }

    /// Calls a registered API operation; replaces every target that was set before.
    ///
    /// - Parameter alias: The operation's alias.
    /// - Returns: A changed copy.
    public consuming func api(_ alias: APIAlias<Model>) -> Self {
        specification.target.setAPI(alias.rawValue)
        return self
    }

    /// Sends the call to a whole URL; replaces an endpoint, an API alias or another URL that was set before.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/contradictoryTarget`` if it also has a server or an
    /// address, or is given an endpoint later. The URL is sent as it is written, without placeholders or further
    /// encoding; ``query(_:_:)`` adds to its query.
    ///
    /// It belongs to the registered server with its origin and the longest path before its own, and then has the
    /// options of that server. If a gateway that decodes paths, resolves dot segments or merges slashes could see
    /// another server, it belongs to none.
    ///
    /// - Parameter url: An absolute `http` or `https` URL, percent-encoded.
    /// - Returns: A changed copy.
    public consuming func url(_ url: String) -> Self {
        specification.target.setURL(url)
        return self
    }

    /// Sends the call to a whole URL, for example one from a model; replaces an endpoint, an API alias or another URL
    /// that was set before.
    ///
    /// The call fails with ``RestClientError/Code-swift.struct/contradictoryTarget`` if it also has a server or an
    /// address, or is given an endpoint later.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Returns: A changed copy.
    public consuming func url(_ url: URL) -> Self {
        specification.target.setURL(url.absoluteString)
        return self
    }

    /// Sets the HTTP method; GET, or the API's own, by default.
    ///
    /// - Parameter method: The method.
    /// - Returns: A changed copy.
    public consuming func method(_ method: HTTPRequest.Method) -> Self {
        specification.method = method
        return self
    }

    /// Sets the method GET, and with a path the endpoint too: see ``endpoint(_:)-(PathTemplate)``.
    public consuming func get(_ path: PathTemplate? = nil) -> Self { method(.get, path) }

    /// Sets the method HEAD, and with a path the endpoint too.
    public consuming func head(_ path: PathTemplate? = nil) -> Self { method(.head, path) }

    /// Sets the method POST, and with a path the endpoint too.
    ///
    /// ```swift
    /// let order = try await manager.request(Order.self).post("/orders").body(draft).send()
    /// ```
    public consuming func post(_ path: PathTemplate? = nil) -> Self { method(.post, path) }

    /// Sets the method PUT, and with a path the endpoint too.
    public consuming func put(_ path: PathTemplate? = nil) -> Self { method(.put, path) }

    /// Sets the method PATCH, and with a path the endpoint too.
    public consuming func patch(_ path: PathTemplate? = nil) -> Self { method(.patch, path) }

    /// Sets the method DELETE, and with a path the endpoint too.
    public consuming func delete(_ path: PathTemplate? = nil) -> Self { method(.delete, path) }

    private consuming func method(_ method: HTTPRequest.Method, _ path: PathTemplate?) -> Self {
        specification.method = method
        if let path {
            specification.target.setEndpoint(path)
        }
        return self
    }
}
