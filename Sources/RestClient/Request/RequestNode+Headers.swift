// SPDX-License-Identifier: MIT

public import HTTPTypes

extension RequestNode {
    /// Sets a header field, replacing fields of that name.
    ///
    /// The call's own fields win over the API's, the server's, the manager's and the dogma's.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Its value. CR, LF and NUL make the call fail with ``RestClientError/Code-swift.struct/invalidHeader``.
    /// - Returns: A changed copy.
    public consuming func header(_ name: HTTPField.Name, _ value: String) -> Self {
        setHeader(name, value)
        return self
    }

    /// Sets a header field by a name given as text, replacing fields of that name.
    ///
    /// - Parameters:
    ///   - name: The field's name. One that is no token of RFC 9110 makes the call fail with
    ///     ``RestClientError/Code-swift.struct/invalidHeader``.
    ///   - value: Its value.
    /// - Returns: A changed copy.
    @_disfavoredOverload
    public consuming func header(_ name: String, _ value: String) -> Self {
        switch HeaderCheck.name(name) {
        case .success(let name): setHeader(name, value)
        case .failure(let error): specification.defect = specification.defect ?? error
        }
        return self
    }

    /// Adds a header field, keeping other fields of that name.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Its value.
    /// - Returns: A changed copy.
    public consuming func addingHeader(_ name: HTTPField.Name, _ value: String) -> Self {
        if let error = HeaderCheck.defect(in: value, of: name) {
            specification.defect = specification.defect ?? error
        } else {
            specification.headers.append(HTTPField(name: name, value: value))
        }
        return self
    }

    /// Sets the bearer token of the `Authorization` field (RFC 6750).
    ///
    /// - Parameter token: The token; it never appears in descriptions, events or errors.
    /// - Returns: A changed copy.
    public consuming func bearer(_ token: String) -> Self {
        setHeader(.authorization, "Bearer \(token)")
        return self
    }

    private mutating func setHeader(_ name: HTTPField.Name, _ value: String) {
        if let error = HeaderCheck.defect(in: value, of: name) {
            specification.defect = specification.defect ?? error
        } else {
            specification.headers[name] = value
        }
    }
}
