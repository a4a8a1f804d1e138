// SPDX-License-Identifier: MIT

import HTTPTypes

extension RawResponse {
    /// Makes what a source delivers the body of the response, without its content codings and within the limits.
    ///
    /// - Parameters:
    ///   - source: The bytes on the wire; cancelled if this throws.
    ///   - request: The request.
    /// - Throws: ``RestClientError`` if a content coding cannot be removed.
    mutating func stream(from source: any ByteSource, to request: TransportRequest) throws(RestClientError) {
        let plan: DecodingPlan
        do throws(RestClientError) {
            plan = try DecodingPlan(
                headers[values: .contentEncoding],
                status: status.code,
                hasBody: request.method != .head
            )
        } catch {
            source.cancel()
            throw error
        }
        let isLimited = request.responseLimit < .max
        // Bytes that are decoded to nothing count, too.
        let source: any ByteSource =
            isLimited && !plan.decodings.isEmpty
            ? LimitedSource(source, limit: DecompressionRule.wireLimit(request.responseLimit)) : source
        let ratio = request.decompressionLimit.flatMap { plan.decodings.isEmpty ? nil : DecompressionRule.Meter($0) }
        let wire = ratio.map { MeteredSource(source, $0.receive) } ?? source
        let plain = plan.decodings.reduce(wire) { DecodingSource($0, $1) }
        let decoded = ratio.map { MeteredSource(plain, $0.produce) } ?? plain
        stream = ByteStream(isLimited ? LimitedSource(decoded, limit: request.responseLimit) : decoded)
    }
}
