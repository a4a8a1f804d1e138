// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Synchronization

extension RawResponse {
    /// Makes what a source delivers the body of the response, without its content codings and within the limits;
    /// cancels the source before it throws.
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
        let (limit, isCoded) = (request.responseLimit, !plan.decodings.isEmpty)
        let isLimited = limit < .max
        // Bytes that are decoded to nothing count, too.
        let source: any ByteSource =
            isLimited && isCoded ? MeteredSource(source, limit: ContentCoding.wireLimit(limit)) : source
        let ratio = request.decompressionLimit.flatMap { isCoded ? ContentCoding.Meter($0) : nil }
        let wire = ratio.map { MeteredSource(source, $0.receive) } ?? source
        let plain = plan.decodings.reduce(wire) { DecodingSource($0, $1) }
        let decoded = ratio.map { MeteredSource(plain, $0.produce) } ?? plain
        stream = ByteStream(isLimited ? MeteredSource(decoded, limit: limit) : decoded)
    }
}

final class MeteredSource: ByteSource {
    private let base: any ByteSource
    private let count: @Sendable (Int) throws(RestClientError) -> Void

    init(_ base: any ByteSource, _ count: @escaping @Sendable (Int) throws(RestClientError) -> Void) {
        self.base = base
        self.count = count
    }

    convenience init(_ base: any ByteSource, limit: Int) {
        let sum = Mutex(0)
        self.init(base) { count throws(RestClientError) in
            let isWithin = sum.withLock { sum in
                sum = sum.addingClamped(count)
                return sum <= limit
            }
            guard isWithin else {
                throw TransportFailure.bodyOverLimit(limit)
            }
        }
    }

    func next() async throws -> Data? {
        guard let chunk = try await base.next() else {
            return nil
        }
        do throws(RestClientError) {
            try count(chunk.count)
        } catch {
            base.cancel()
            throw error
        }
        return chunk
    }

    func cancel() {
        base.cancel()
    }
}

/// Removes one content coding from chunks.
///
/// Only a little input is decoded at a time, so that forged input cannot exhaust the memory.
final class DecodingSource: ByteSource {
    private struct State {
        var input = Data()
        /// Made for the first input: an empty body has no coding.
        var decoder: (any CodingDecoder)?
        var isOver = false
    }

    private let base: any ByteSource
    private let coding: ContentDecoding
    private let state = Mutex(State())

    init(_ base: any ByteSource, _ coding: ContentDecoding) {
        self.base = base
        self.coding = coding
    }

    func next() async throws -> Data? {
        while true {
            if let output = try state.withLock({ state throws(RestClientError) in try decode(&state) }) {
                return output
            }
            guard let chunk = try await base.next() else {
                try state.withLock { state throws(RestClientError) in try finish(&state) }
                return nil
            }
            state.withLock { $0.input.append(chunk) }
        }
    }

    func cancel() {
        base.cancel()
    }

    private func decode(_ state: inout State) throws(RestClientError) -> Data? {
        do throws(StoreError) {
            if state.decoder == nil, !state.input.isEmpty {
                state.decoder = try coding.decoder()
            }
            let output = try state.decoder?.decode(&state.input) ?? Data()
            return output.isEmpty ? nil : output
        } catch {
            throw ContentCoding.damaged(error)
        }
    }

    private func finish(_ state: inout State) throws(RestClientError) {
        guard !state.isOver else {
            return
        }
        state.isOver = true
        do throws(StoreError) {
            try state.decoder?.finish(state.input)
        } catch {
            throw ContentCoding.damaged(error)
        }
    }
}
