// SPDX-License-Identifier: MIT

extension TransportRequest {
    /// Sets the pins that a call has for the host of the request.
    ///
    /// - Parameter call: The call.
    mutating func pinKeys(of call: CallContext) {
        pinKeys(by: call.options[.pinnedKeys], ownURL: call.url)
    }

    /// Sets the pins for the host of the request.
    ///
    /// - Parameters:
    ///   - keys: The pins of all hosts; `nil` if there are none.
    ///   - ownURL: The URL that the call names itself, before redirects.
    mutating func pinKeys(by keys: PinnedKeys?, ownURL: String) {
        guard let keys, let host = try? HTTPURL(sent: url).comparedHost else {
            return
        }
        pinnedKeys = keys.pins(of: host, isOwn: (try? HTTPURL(sent: ownURL).comparedHost) == host)
    }

    /// Checks that the request is sent over TLS if the key of its server is pinned.
    ///
    /// - Throws: ``RestClientError`` if it is not.
    func checkPins() throws(RestClientError) {
        guard !pinnedKeys.isEmpty, let target = try? HTTPURL(sent: url), target.scheme != "https" else {
            return
        }
        throw RestClientError(
            .tlsFailed,
            "the key of \(target.host) is pinned, and without TLS it has none; send the request by https, or revoke the "
                + "pins with .pinnedKeys([])"
        )
    }

    /// Checks that a transport checks the pins of the request.
    ///
    /// - Throws: ``RestClientError`` if it does not.
    func checkPins(over transport: any Transport) throws(RestClientError) {
        guard !pinnedKeys.isEmpty, !transport.checksPinnedKeys else {
            return
        }
        throw RestClientError(
            .tlsFailed,
            "\(type(of: transport)) does not check pinned keys, so the request was not sent; use DirectTransport"
        )
    }
}
