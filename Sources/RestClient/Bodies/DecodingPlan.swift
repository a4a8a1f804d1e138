// SPDX-License-Identifier: MIT

/// Decides which content codings of a response are removed, and in which order: a pure value.
struct DecodingPlan: Sendable, Hashable {
    /// The treatment of a coding that cannot be removed.
    enum Unknown: Sendable {
        /// It is an error, because it was not requested.
        case refuse
        /// It is kept, together with those below it, because the request has its own `Accept-Encoding`.
        case keep
    }

    /// A body with more nested codings is treated as an attack.
    private static let nestingLimit = 4

    /// The codings to remove, in the order of their removal.
    let decodings: [ContentDecoding]

    /// Creates the plan of a response.
    ///
    /// The coding that was applied last is listed last, and removed first.
    ///
    /// - Parameters:
    ///   - lines: The values of `Content-Encoding`, in order.
    ///   - status: The status; a 206 contains only a part of the encoded body, which cannot be decoded separately.
    ///   - hasBody: False for a response to HEAD, and for one with an empty body.
    ///   - unknown: The treatment of a coding that cannot be removed.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/unsupportedContentCoding``.
    init(
        _ lines: [String],
        status: Int,
        hasBody: Bool,
        unknown: Unknown = .refuse
    ) throws(RestClientError) {
        let names = FieldList.elements(of: lines).map(String.init).filter { $0.lowercased() != "identity" }
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
        while let name = rest.last {
            guard let decoding = ContentDecoding(name: name) else {
                guard unknown == .keep else {
                    throw RestClientError(
                        .unsupportedContentCoding,
                        "the body of the response has the content coding '\(name.prefix(40))', which cannot be removed"
                    )
                }
                break
            }
            decodings.append(decoding)
            rest.removeLast()
        }
        self.decodings = decodings
    }
}
