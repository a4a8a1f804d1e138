// SPDX-License-Identifier: MIT

import HTTPTypes

extension Response {
    /// The links of the response to other resources, from its header fields `Link` (RFC 8288), in order.
    public var links: [WebLink] { raw.links }
}

extension RawResponse {
    /// The links of the response to other resources.
    var links: [WebLink] {
        HTTPField.Name("Link").map { WebLink.links(in: headers[fields: $0].map(\.reference)) } ?? []
    }
}
