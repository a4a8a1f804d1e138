// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

extension RequestNode {
    /// Iterates over a listing page by page, each loaded by a call like this one.
    ///
    /// ```swift
    /// let pages = manager.request(.orders).pages(.cursor("after", next: \.meta.cursor), items: \.orders)
    /// for try await order in pages.items { … }
    /// ```
    ///
    /// Query items that the rule sets replace the node's own, named values, and those of its URL. A page at a URL from
    /// the server is requested at exactly that URL; the options of the node, its API and its server apply as long as
    /// the URL belongs to the server of the first page. At any other URL it is requested without the credentials, and
    /// in plain HTTP after HTTPS only if the call's ``CallConfigurable/redirects(_:)`` allow that, and without those
    /// of the manager.
    ///
    /// A response without content is not a page: it ends the listing, unless the rule is ``PageRule/link`` and the
    /// response links to a next page, which is loaded in its place. Without such a link, a response that is blank
    /// although its status allows content ends a listing by ``PageRule/offset(_:first:)`` or
    /// ``PageRule/number(_:first:)`` only; by any other rule it is a page, and an error if it cannot be decoded.
    ///
    /// - Parameters:
    ///   - rule: The way in which the listing is divided into pages.
    ///   - items: Reads the items of a page.
    /// - Returns: The pages, as a sequence; as a job, it loads all items.
    public func pages<Item: Sendable>(
        _ rule: PageRule<Model>,
        items: @escaping @Sendable (Model) throws -> [Item]
    ) -> Pages<Model, Item> {
        Pages(rule, items: items) { position, context in
            let sender: any RequestSender = context?.manager ?? self.sender
            let (node, request) = try page(at: position, rule.scheme, sender)
            let whole = node.passingOver { rule.scheme.isWithoutContent($0, requested: request.url) }
            guard let context else {
                return (try await sender.response(whole), request)
            }
            return (try await whole.response(in: context), request)
        }
    }
}

extension RequestNode where Model: Sequence, Model.Element: Sendable {
    /// Iterates over a listing whose pages are plain arrays, each loaded by a call like this one.
    ///
    /// ```swift
    /// for try await order in manager.request(.orders).pages(.link).items { … }
    /// ```
    ///
    /// In every other respect it is like ``pages(_:items:)``.
    public func pages(_ rule: PageRule<Model>) -> Pages<Model, Model.Element> {
        pages(rule) { Array($0) }
    }
}

extension RequestNode {
    /// Unavailable: a page that is not a plain array has its items somewhere.
    @available(*, unavailable, message: "say where the items of a page are, as in pages(.offset(), items: \\.orders)")
    @_disfavoredOverload
    public func pages(_ rule: PageRule<Model>) -> Pages<Model, Model> {
        pages(rule) { [$0] }
    }
}

// MARK: - The call for a page

extension RequestNode {
    /// Returns the node with a model that is `nil` if the response has no content, as the closure says.
    func passingOver(
        _ isWithoutContent: @escaping @Sendable (RawResponse) -> Bool
    ) -> RequestNode<Model?> {
        let decode = decoding.decode
        var node = RequestNode<Model?>(
            decoding: ResponseDecoding { response, dogma, request in
                isWithoutContent(response) ? nil : .some(try decode(response, dogma, request))
            }
        )
        node.specification = specification
        node.owner = owner
        if hasHandlers {
            node.handlers = handlers.passingOverNothing
            if let handover = handlers.handover {
                node.handlers.handover = { [self] _, previous in
                    try await handover(self, previous).passingOver(isWithoutContent)
                }
            }
        }
        return node
    }
}

extension RequestHandlers {
    fileprivate var passingOverNothing: RequestHandlers<Model?> {
        var handlers = RequestHandlers<Model?>()
        handlers.rewrites = rewrites.map { rewrite in
            { (result: Result<Model?, any Error>) in
                switch result {
                case .success(let model?): return try await rewrite(.success(model))
                case .success(nil): return nil
                case .failure(let error): return try await rewrite(.failure(error))
                }
            }
        }
        handlers.callbacks = callbacks.passingOverNothing
        return handlers
    }
}

extension RequestCallbacks {
    fileprivate var passingOverNothing: RequestCallbacks<Model?> {
        var callbacks = RequestCallbacks<Model?>()
        callbacks.onStart = onStart
        callbacks.onSuccess = Self.passingOverNothing(onSuccess)
        callbacks.onCacheSuccess = Self.passingOverNothing(onCacheSuccess)
        callbacks.onNotModified = Self.passingOverNothing(onNotModified)
        callbacks.onError = onError
        callbacks.onProgress = onProgress
        callbacks.place = place
        return callbacks
    }

    private static func passingOverNothing(
        _ handler: (@Sendable (Response<Model>) -> Void)?
    ) -> (@Sendable (Response<Model?>) -> Void)? {
        guard let handler else {
            return nil
        }
        return { (response: Response<Model?>) in
            if let response = Response<Model>(withContent: response) {
                handler(response)
            }
        }
    }
}

extension PageScheme {
    /// Returns true if a response is not a page, but only ends the listing or refers to the next page.
    ///
    /// A blank body alone does not say that the listing ends: a page that has to say what follows would be lost.
    fileprivate func isWithoutContent(_ response: RawResponse, requested url: String) -> Bool {
        guard response.status != .noContent && response.status != .resetContent else {
            return true
        }
        guard JSONText.isBlank(response.body) else {
            return false
        }
        switch style {
        case .offset, .number: return true
        case .cursor, .nextURL: return false
        case .link(let relation):
            guard let base = try? PageURL.base(response.url ?? url) else {
                return false
            }
            return PageURL.reference(relation, in: response.links, of: base) != nil
        }
    }
}

extension RequestNode {
    private func page(
        at position: PagePosition,
        _ scheme: PageScheme,
        _ sender: any RequestSender
    ) throws -> (node: RequestNode, request: PageRequest) {
        var node = self
        let first = try sender.resolve(specification)
        if case .url(let url) = position {
            try node.specification.move(toPage: url, after: first)
        } else {
            node.specification.replacingQuery = scheme.parameters(for: position)
                .map { ($0.name, .string($0.value)) }
        }
        let request = try sender.resolve(node.specification)
        return (node, PageRequest(url: request.url, allowsPlainHTTP: request.call.policy.redirects.allowsPlainHTTP))
    }
}

extension RequestSpecification {
    /// Moves the request to a page, or to what else a server gave a URL for, unless it must not be sent there.
    mutating func move(toPage text: String, after first: OutgoingRequest, of what: String = PageURL.page) throws {
        let given = try PageURL.base(text)
        let own = try HTTPURL(sent: first.url)
        guard !target.isConfined else {
            guard given.hasOrigin(of: own), given.path == own.path, given.userInfo.isEmpty else {
                throw RestClientError(
                    .targetNotExposed,
                    "\(what) is not at the URL of the operation that the provider exposes, '\(own.origin)"
                        + "\(Redaction.url(own.path))'; load the listing with the manager"
                )
            }
            target.setPage(given.textForSending)
            return
        }
        let url = try PageURL.sent(given, of: what)
        if url.hasOwner(of: own, among: first.call.policy.addresses) {
            target.setPage(url.writtenText)
            return
        }
        // A stored position has been checked by nobody.
        let allowsPlainHTTP = first.call.policy.redirects.allowsPlainHTTP
        try PageURL.checkEncryption(of: url, after: own, allowsPlainHTTP: allowsPlainHTTP, to: what)
        let sent = self.method ?? first.method
        guard sent.isRetrieval else {
            throw RestClientError(
                .pageRefused,
                "\(what) is at '\(url.origin)', to which the body of \(sent.rawValue) is not sent"
            )
        }
        let isEncrypted = own.scheme != "https" || url.scheme == "https"
        target = RequestTarget()
        target.setURL(url.writtenText, isGiven: true, leavingEncryption: !isEncrypted)
        method = sent
        pathParameters = PathParameters()
        query = []
        replacingQuery = []
        queryModels = []
        model = .none
        options.removeCredentials(
            declared: first.call.policy.credentialFields,
            free: isEncrypted ? first.call.policy.options[.fieldsForAnyOrigin] ?? [] : [],
            of: sent
        )
    }
}

extension CallOptions {
    /// Removes the credentials and the fields that this level sets for the server of the listing, except those allowed
    /// for any origin, and declares its credentials.
    fileprivate mutating func removeCredentials(
        declared: Set<HTTPField.Name>,
        free: Set<HTTPField.Name>,
        of method: HTTPRequest.Method
    ) {
        self[.authentication] = nil
        self[.queryCredentials] = nil
        if !declared.isEmpty {
            // A field of the manager that the server of the first page declares is a credential elsewhere, too.
            self[.credentialFields] = declared
        }
        guard var headers = self[.headers] else {
            return
        }
        headers.remove(
            headers.names.filter { name in
                !free.contains(name)
                    && (!Credentials.goesAlong(name, with: method) || Credentials.contain(name, declared: declared))
            }
        )
        self[.headers] = headers
    }
}
