// SPDX-License-Identifier: MIT

public import HTTPTypes

extension CallConfigurable {
    /// Sets a header field, replacing fields of that name, or adds one.
    ///
    /// The call's own fields win over those of the API, the server, the manager and the dogma. Without any, a call has
    /// `User-Agent: swift-rest-client/1`, which an empty text removes, and `Accept` with the media type of the dogma,
    /// or `*/*` if no dogma decodes the body: for `Data`, `String`, `Void`, closures, streams and downloads.
    ///
    /// Fields of a server or an API are sent to that server's origin only. A credential of the manager or an
    /// environment, such as `Authorization`, is sent to registered servers only, and no credential follows a redirect
    /// to another server; ``fieldsForAnyOrigin(_:)`` lists exceptions.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Its value. CR, LF and NUL make the call fail with
    ///   ``RestClientError/Code-swift.struct/invalidHeader``.
    ///   - adding: Pass `true` to keep other fields of that name at this level. Defaults to `false`.
    /// - Returns: A changed copy.
    public consuming func header(_ name: HTTPField.Name, _ value: String, adding: Bool = false) -> Self {
        if let error = HeaderCheck.defect(in: value, of: name) {
            options.note(error)
        } else if adding {
            options[.headers, default: HeaderFields()].fields.append(HTTPField(name: name, value: value))
        } else {
            options[.headers, default: HeaderFields()].set(name, value)
        }
        return self
    }

    /// Sets a header field whose name is given as text, replacing fields of that name.
    ///
    /// One that is not a token of RFC 9110 makes the call fail with
    /// ``RestClientError/Code-swift.struct/invalidHeader``.
    @_disfavoredOverload
    public consuming func header(_ name: String, _ value: String) -> Self {
        switch HeaderCheck.name(name) {
        case .success(let name):
            return header(name, value)
        case .failure(let error):
            options.note(error)
            return self
        }
    }

    /// Sets a header field with a provider, which returns a current value before every attempt.
    ///
    /// ```swift
    /// manager.options = manager.options.header(.authorization) { "Bearer \(await session.token)" }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - provide: Returns the value, or `nil` to omit the field. An error that it throws fails the call and is passed
    ///     on unchanged.
    /// - Returns: A changed copy.
    public consuming func header(
        _ name: HTTPField.Name,
        _ provide: @escaping @Sendable () async throws -> String?
    ) -> Self {
        options[.headers, default: HeaderFields()].set(HeaderProvider(name: name, provide: provide))
        return self
    }

    /// Sets header fields, replacing fields of the same names.
    ///
    /// - Parameter fields: The fields. CR, LF and NUL in a value make the call fail with
    ///   ``RestClientError/Code-swift.struct/invalidHeader``.
    /// - Returns: A changed copy.
    public consuming func headers(_ fields: HTTPFields) -> Self {
        for field in fields {
            if let error = HeaderCheck.defect(in: field.value, of: field.name) {
                options.note(error)
                return self
            }
        }
        options[.headers, default: HeaderFields()].override(with: HeaderFields(fields: fields))
        return self
    }

    /// Sets header fields whose names are given as text, replacing fields of the same names.
    ///
    /// ```swift
    /// manager.request(.orders).headers(["Accept-Language": "ko", "X-Tenant": "acme"])
    /// ```
    ///
    /// In every other respect it is like ``header(_:_:)`` for each of them.
    @_disfavoredOverload
    public consuming func headers(_ fields: [String: String]) -> Self {
        var level = self
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            level = level.header(name, value)
        }
        return level
    }
}

extension CallOptions {
    mutating func note(_ defect: RestClientError) {
        self[.defect] = self[.defect] ?? defect
    }
}
