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
    /// Query items and named values that the rule sets replace the node's own. A page at a URL from the server is
    /// requested at exactly that URL; the options of the node, its API and its server apply as long as the URL belongs
    /// to the server of the first page. At any other URL it is requested without the credentials, and in plain HTTP
    /// after HTTPS only if the call's ``CallConfigurable/redirects(_:)`` allow that, and without those of the manager.
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
            let sender: any CallSender = context?.manager ?? self.sender
            let (node, request) = try page(at: position, rule.scheme, sender)
            guard let context else {
                return (try await sender.response(node), request)
            }
            return (try await node.response(in: context), request)
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
    /// - Parameter rule: The way in which the listing is divided into pages.
    /// - Returns: The pages, as a sequence; as a job, it loads all items.
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
    /// Returns the node that requests a page, and the facts about its request.
    private func page(
        at position: PagePosition,
        _ scheme: PageScheme,
        _ sender: any CallSender
    ) throws -> (node: RequestNode, request: PageRequest) {
        var node = self
        let first = try sender.resolve(specification)
        if case .url(let url) = position {
            try node.specification.move(toPage: url, after: first)
        } else {
            node.specification.set(scheme.parameters(for: position), isRetrieval: first.method.isRetrieval)
        }
        let request = try sender.resolve(node.specification)
        return (node, PageRequest(url: request.url, allowsPlainHTTP: request.call.policy.redirects.allowsPlainHTTP))
    }
}

extension RequestSpecification {
    /// Sets query items, replacing all with the same names.
    fileprivate mutating func set(_ parameters: [PageScheme.Parameter], isRetrieval: Bool) {
        for parameter in parameters {
            query.removeAll { $0.name == parameter.name }
            if isRetrieval, case .parameters(var values) = model {
                values[parameter.name] = nil
                model = .parameters(values)
            }
            query.append((parameter.name, .string(parameter.value)))
        }
    }

    /// Sets the URL of a page.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - first: The request for the first page.
    /// - Throws: ``RestClientError`` if the request must not be sent there.
    fileprivate mutating func move(toPage text: String, after first: OutgoingRequest) throws {
        let given = try PageURL.base(text)
        let own = try HTTPURL(sent: first.url)
        guard !target.isConfined else {
            guard given.hasOrigin(of: own), given.path == own.path, given.userInfo.isEmpty else {
                throw RestClientError(
                    .targetNotExposed,
                    "the next page is not at the URL of the operation that the provider exposes, '\(own.origin)"
                        + "\(Redaction.url(own.path))'; load the listing with the manager"
                )
            }
            target.setPage(given.textForSending)
            return
        }
        let url = try PageURL.sent(given)
        if url.hasOwner(of: own, among: first.call.policy.addresses) {
            target.setPage(url.writtenText)
            return
        }
        // A stored position has been checked by nobody.
        try PageURL.checkEncryption(of: url, after: own, allowsPlainHTTP: first.call.policy.redirects.allowsPlainHTTP)
        guard first.method.isRetrieval else {
            throw RestClientError(
                .pageRefused,
                "the next page is at '\(url.origin)', to which the body of \(first.method.rawValue) is not sent"
            )
        }
        let isEncrypted = own.scheme != "https" || url.scheme == "https"
        target = RequestTarget()
        target.setURL(url.writtenText, isGiven: true, leavingEncryption: !isEncrypted)
        method = first.method
        pathParameters = PathParameters()
        query = []
        queryModels = []
        model = .none
        options.removeCredentials(
            declared: first.call.policy.credentialFields,
            free: isEncrypted ? first.call.policy.options[.fieldsForAnyOrigin] ?? [] : [],
            of: first.method
        )
    }
}

extension CallOptions {
    /// Removes the credentials and the fields that this level sets for the server of the listing, except those allowed
    /// for any origin, and declares its credentials.
    ///
    /// - Parameters:
    ///   - declared: The fields that are declared to be credentials.
    ///   - free: The fields that are allowed for any origin.
    ///   - method: The method.
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
