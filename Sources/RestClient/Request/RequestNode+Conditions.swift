// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

// Writes that do not overwrite what others have written (RFC 9110, section 13.1).

extension RequestNode {
    /// Lets the server do the request only if the resource is still in the state of a response.
    ///
    /// ```swift
    /// let order = try await manager.request(.order).parameter("id", 7).response()
    /// try await manager.request(.saveOrder).parameter("id", 7).body(order.model.paid()).ifMatch(order).send()
    /// ```
    ///
    /// If others have changed it meanwhile, the call fails with
    /// ``RestClientError/Code-swift.struct/preconditionFailed``, and nothing is changed. A call whose response was lost
    /// is not repeated, because the server would refuse it for its own success, unless it has an
    /// ``CallConfigurable/idempotencyKey(_:field:)`` or is ``CallConfigurable/idempotent(_:)``.
    ///
    /// The condition is the entity tag of the response (`If-Match`); if it has none, the time at which the resource was
    /// last modified (`If-Unmodified-Since`, RFC 9110, section 13.1.4).
    ///
    /// - Parameter response: The response with the state, from the server or the cache. If it has only a weak tag, or
    ///   none and no `Last-Modified` of at least a minute before its `Date`, the server could not tell states apart.
    ///   Then the call fails with ``RestClientError/Code-swift.struct/validatorMissing``, and nothing is sent.
    /// - Returns: A changed copy.
    public consuming func ifMatch<Other>(_ response: Response<Other>) -> Self {
        let condition: (name: HTTPField.Name, value: String)
        do throws(RestClientError) {
            condition = try response.unchanged()
        } catch {
            options.note(error)
            return self
        }
        return conditional(condition.name, condition.value)
    }

    /// Lets the server do the request only if the resource has an entity tag, or with `*` only if it exists.
    ///
    /// It is ``ifMatch(_:)-(Response<Other>)`` for a tag that was stored.
    ///
    /// - Parameter tag: The tag as the server gave it, with its quotation marks (``Response/entityTag``). One that is
    ///   empty or weak makes the call fail with ``RestClientError/Code-swift.struct/validatorMissing``, and nothing is
    ///   sent.
    /// - Returns: A changed copy.
    public consuming func ifMatch(_ tag: String) -> Self {
        guard let parsed = EntityTag(tag), !parsed.isWeak else {
            let shown = MessageText.of(tag, limit: MessageText.partLimit)
            let reason = EntityTag(tag) == nil ? "no entity tag" : "a weak entity tag"
            options.note(
                RestClientError(.validatorMissing, "'\(shown)' is \(reason); pass the strong one of a response")
            )
            return self
        }
        return conditional(.ifMatch, tag)
    }

    /// Lets the server do the request only if the resource does not exist yet, so that nothing is overwritten.
    ///
    /// If it exists, the call fails with ``RestClientError/Code-swift.struct/preconditionFailed``. As with
    /// ``ifMatch(_:)-(String)``, a call whose response was lost is not repeated.
    ///
    /// - Returns: A changed copy.
    public consuming func createOnly() -> Self {
        conditional(.ifNoneMatch, "*")
    }

    private consuming func conditional(_ name: HTTPField.Name, _ value: String) -> Self {
        options[.headers]?.remove([.ifMatch, .ifNoneMatch, .ifUnmodifiedSince])
        options[.isConditional] = true
        return header(name, value)
    }
}

extension Response {
    /// The entity tag of the response, as the server wrote it; `nil` if it has none.
    ///
    /// ``RequestNode/ifMatch(_:)-(String)`` takes it.
    public var entityTag: String? { Validators(headers).entityTag }
}

extension RestClientError {
    /// The entity tag of the server's response, as the server wrote it: that of the current state, after a
    /// ``Code-swift.struct/preconditionFailed``; `nil` if there is none.
    public var entityTag: String? { response.flatMap { Validators($0.headers).entityTag } }
}

extension Response {
    /// Returns the field by which a request says that the resource must still be in the state of the response.
    fileprivate func unchanged() throws(RestClientError) -> (name: HTTPField.Name, value: String) {
        let validators = Validators(headers)
        if let text = validators.entityTag, let tag = validators.tag {
            guard !tag.isWeak else {
                let shown = MessageText.of(text, limit: MessageText.partLimit)
                throw RestClientError(
                    .validatorMissing,
                    "the response has only the weak entity tag '\(shown)', which is the same for different states; a "
                        + "server that compresses may send a strong one for "
                        + "Accept-Encoding: identity"
                )
            }
            return (.ifMatch, text)
        }
        guard validators.lastModified != nil else {
            throw RestClientError(
                .validatorMissing,
                "the response has no entity tag, by which the server could tell whether others have changed the "
                    + "resource; the request was not sent"
            )
        }
        guard validators.entityTag == nil, let date = validators.strong(now: details.startedAt) else {
            throw RestClientError(
                .validatorMissing,
                "the response has no entity tag, and its Last-Modified is not at least a minute before its Date, so "
                    + "that the server could not tell a later change from it; the request was not sent"
            )
        }
        return (.ifUnmodifiedSince, date)
    }

    fileprivate var hasStrongValidator: Bool { (try? unchanged()) != nil }
}

// MARK: - Read, change, write

extension RequestNode where Model: Codable {
    /// Reads the model, changes it, and writes it back with `PUT` to the same URL, without undoing what others write
    /// meanwhile.
    ///
    /// ```swift
    /// try await manager.request(.order).parameter("id", 7).update { $0.state = .paid }
    /// ```
    ///
    /// The write has the entity tag of what was read as its condition (`If-Match`), or without one the time of its last
    /// modification, as in ``ifMatch(_:)-(Response<Other>)``. If others were faster, the model is
    /// read again and the change is made again. Of JSON, only the members that the change concerns are replaced: those
    /// that the model does not know are written back as they were read, except within lists. If the change changes
    /// nothing, nothing is written.
    ///
    /// The handlers of the node see the reads. A write whose response was lost is not repeated, so that no change is
    /// made twice.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of writes, at least one; 5 by default. After the last one that others precede,
    ///     the call fails with ``RestClientError/Code-swift.struct/preconditionFailed``.
    ///   - change: Changes the model. It is called again for each write, so it must have no side effects. If it throws,
    ///     nothing is written.
    /// - Returns: The model as it was written, with the response to the write; the response to the read if nothing was
    ///   written.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled. A
    ///   response without a strong validator, and a request with another method than `GET`, with ``values(_:)`` or
    ///   with a body, fail with ``RestClientError/Code-swift.struct/validatorMissing``; nothing is written.
    @concurrent
    @discardableResult
    public func update(
        attempts: Int = 5,
        _ change: @Sendable (inout Model) throws -> Void
    ) async throws -> Response<Model> {
        let request = try sender.resolve(specification)
        guard request.method == .get, case .none = specification.model else {
            throw RestClientError(
                .validatorMissing,
                "an update reads with GET and without a body, and writes to the same URL; this request is a "
                    + "\(request.method.rawValue), or has values or a body: use parameter(_:_:) and query(_:)"
            )
        }
        // The write may be refused because of a stored response, and then only the server's helps.
        let policy = request.call.policy.options[.cachePolicy] ?? .networkOnly
        let reloading = policy.isInMode(of: .networkOnly) ? self : cache(policy.inMode(of: .reload))
        var current = try await response()
        if current.source.isCache, !current.hasStrongValidator {
            current = try await reloading.response()
        }
        for attempt in 1... {
            _ = try current.unchanged()
            var model = current.model
            try change(&model)
            let isPlain = decoding.isUniform && handlers.rewrites.isEmpty
            guard let body = try Self.body(of: model, replacing: current, isPlain: isPlain) else {
                return current
            }
            do {
                // The cache may keep what the server has written.
                let rules = request.call.policy.cache
                let isLearnt = rules.followsHTTP && rules.bodyKey == nil
                let write = writing(model, as: body, over: current)
                    .cache(isLearnt ? rules : policy.inMode(of: .networkOnly))
                return try await write.response()
            } catch let error as RestClientError where error.code == .preconditionFailed && attempt < attempts {
                current = try await reloading.response()
            }
        }
        return current
    }

    private func writing(_ model: Model, as body: RequestBody, over current: Response<Model>) -> Self {
        // What the node says of responses is meant for the reads: no other source can write.
        var node = put().body(body).ifMatch(current).accepting(.successful).fallback()
        // Whatever the server says of it, this is what it has now.
        node.decoding = .custom { _ in model }
        node.handlers = RequestHandlers()
        return node
    }

    /// Returns the body that writes a model; `nil` if it is what was read.
    private static func body(
        of model: Model,
        replacing current: Response<Model>,
        isPlain: Bool
    ) throws(RestClientError) -> RequestBody? {
        guard let coding = current.details.origin.call?.prepared.coding else {
            throw RestClientError(.validatorMissing, "a handler made the response, so that there is nothing to replace")
        }
        let old = try encoded(current.model, coding, current.headers[.contentType])
        let new = try encoded(model, coding, current.headers[.contentType])
        guard old.bytes != new.bytes else {
            return nil
        }
        // Only then does the body consist of the members of the model.
        guard isPlain, Model.self != Data.self, MediaType.isJSON(new.contentType), coding.dogma is JSONDogma,
            let read = try? JSONText.valueAsWritten(current.body),
            let before = try? JSONText.valueAsWritten(old.bytes), let after = try? JSONText.valueAsWritten(new.bytes),
            let bytes = try? JSONText.data(of: read.changed(as: before, to: after))
        else {
            return RequestBody(new)
        }
        return .bytes(bytes, contentType: new.contentType)
    }

    /// Encodes a model in the form in which it was read: bytes and texts are not decoded by the dogma.
    private static func encoded(
        _ model: Model,
        _ coding: ResolvedDogma,
        _ contentType: String?
    ) throws(RestClientError) -> EncodedBody {
        if let bytes = model as? Data {
            return EncodedBody(bytes, contentType: contentType)
        }
        if let text = model as? String, !MediaType.isJSON(contentType) {
            let type = MediaType.essence(of: contentType)
            return EncodedBody(Data(text.utf8), contentType: "\(type.isEmpty ? "text/plain" : type); charset=utf-8")
        }
        return try coding.encode(model)
    }
}

extension JSONValue {
    /// Returns this value after a change of a value that has only some of its members; the others stay as they are.
    func changed(as old: JSONValue, to new: JSONValue) -> JSONValue {
        guard case .object(var members) = self, case .object(let before) = old, case .object(let after) = new else {
            return new
        }
        for (name, value) in after where before[name] != value {
            members[name] = (members[name] ?? .null).changed(as: before[name] ?? .null, to: value)
        }
        for name in before.keys where after[name] == nil {
            members[name] = nil
        }
        return .object(members)
    }
}
