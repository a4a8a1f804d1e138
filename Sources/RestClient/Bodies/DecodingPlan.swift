// SPDX-License-Identifier: MIT

/// Decides which content codings of a response are removed, and in which order: a pure value.
struct DecodingPlan: Sendable, Hashable {
    /// A body with more nested codings is treated as an attack.
    private static let nestingLimit = 4

    /// The codings to remove, in the order of their removal.
    let decodings: [ContentDecoding]

    /// Creates the plan of a response.
    ///
    /// The coding that was applied last is listed last, and removed first. One that cannot be removed is kept, together
    /// with those below it: some servers list names of charsets here, and a request may have its own `Accept-Encoding`.
    init(_ lines: [String], status: Int, hasBody: Bool) throws(RestClientError) {
        let names = FieldList.elements(of: lines).map(String.init).filter { FieldList.token($0) != "identity" }
        guard hasBody, status != 206, status != 204, status != 304 else {
            decodings = []
            return
        }
        guard names.count <= Self.nestingLimit else {
            throw RestClientError(
                .unsupportedContentCoding,
                "the body of the response has \(names.count) nested content codings"
            )
        }
        var decodings: [ContentDecoding] = []
        var rest = names[...]
        while let decoding = rest.last.flatMap({ ContentDecoding(name: $0) }) {
            decodings.append(decoding)
            rest.removeLast()
        }
        self.decodings = decodings
    }
}
