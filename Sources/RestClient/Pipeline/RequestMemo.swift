// SPDX-License-Identifier: MIT

import Synchronization

/// Memoizes the requests of nodes: a program often sends equal nodes, and their request is a pure function of node and
/// registries.
///
/// The entries are valid for one snapshot of the registries; any change creates a new snapshot and clears the memo. A
/// call with its own surroundings, such as a scope of dummies, is neither memoized nor served from the memo.
final class RequestMemo: Sendable {
    /// The number of entries at which the older half is dropped.
    static let limit = 2_048

    private final class Entry: Sendable {
        let description: RequestDescription
        let request: PreparedRequest

        init(_ description: RequestDescription, _ request: PreparedRequest) {
            self.description = description
            self.request = request
        }
    }

    private struct State {
        var registries: RegistrySnapshot?
        /// The requests by the hash of their description: those used recently, and the previous generation.
        ///
        /// Requests with the same hash replace each other.
        var recent: [Int: Entry] = [:]
        var older: [Int: Entry] = [:]

        /// Returns the entry of a hash, and marks it as used.
        mutating func entry(_ hash: Int, _ snapshot: RegistrySnapshot) -> Entry? {
            guard registries === snapshot else {
                return nil
            }
            if let entry = recent[hash] {
                return entry
            }
            guard let entry = older[hash] else {
                return nil
            }
            insert(entry, hash)
            return entry
        }

        mutating func insert(_ entry: Entry, _ hash: Int) {
            if recent.count >= RequestMemo.limit / 2 {
                older = recent
                recent = [:]
            }
            recent[hash] = entry
        }
    }

    private let state = Mutex(State())

    /// Returns the request that a node describes, or that of an equal node before; defects are not memoized.
    func request(
        _ specification: RequestSpecification,
        _ registries: RegistrySnapshot,
        _ surroundings: RequestBuilder.Surroundings
    ) throws -> PreparedRequest {
        func build() throws -> PreparedRequest {
            try RequestBuilder(registries: registries, surroundings: surroundings).build(specification)
        }

        guard surroundings.arePlain, let description = RequestDescription.of(specification) else {
            return try build()
        }
        let hash = description.hash
        if let entry = state.withLock({ $0.entry(hash, registries) }), entry.description.isEqual(to: description),
            entry.request.isCurrent
        {
            return entry.request
        }
        let request = try build()
        guard request.isRepeatable else {
            return request
        }
        let entry = Entry(description, request)
        state.withLock { state in
            if state.registries !== registries {
                state = State(registries: registries)
            }
            state.insert(entry, hash)
        }
        return request
    }
}

extension PreparedRequest {
    /// True if another call can use the request, because no part of it is specific to one call.
    fileprivate var isRepeatable: Bool { body == nil && policy.pass == nil && policy.dummies == nil }

    /// True if the dogma, which is user code, still accepts the same media type.
    fileprivate var isCurrent: Bool { coding.dogma.acceptedContentType == acceptedContentType }
}

/// The content of a node in a comparable form.
///
/// Only a node without a body has one, and only if its values are texts and whole numbers and its options can be
/// compared. Texts are compared by their bytes, because Swift considers some texts equal that lead to different URLs.
struct RequestDescription: Sendable {
    let hash: Int
    /// Target, method, the kind of the model, path parameters and query: numbers, and for each text the count of its
    /// bytes and then the bytes, eight to a word.
    private let words: [UInt64]
    private let options: CallOptions

    /// Returns the description of a node; `nil` if it cannot be compared.
    ///
    /// An initializer would be passed a copy of the node.
    static func of(_ specification: RequestSpecification) -> RequestDescription? {
        let target = specification.target
        guard case .none = specification.model, target.contradiction == nil, target.page == nil,
            target.alternative == nil, !specification.isStreamed, !specification.mayPause, specification.series == nil,
            specification.queryModels.isEmpty
        else {
            return nil
        }
        let options = specification.options
        var words: [UInt64] = []
        words.reserveCapacity(24)
        guard append(specification.target, to: &words) else {
            return nil
        }
        append(specification.method?.rawValue ?? "", to: &words)
        words.append(specification.takesAnyType ? 1 : 0)
        let values = specification.pathParameters.values
        words.append(UInt64(values.count))
        for (name, value) in values {
            guard append(name, value, to: &words) else {
                return nil
            }
        }
        for (name, value) in specification.query {
            guard append(name, value, to: &words) else {
                return nil
            }
        }
        if !specification.replacingQuery.isEmpty {
            words.append(.max)
        }
        for (name, value) in specification.replacingQuery {
            guard append(name, value, to: &words) else {
                return nil
            }
        }
        // Descriptions with the same hash only replace each other, so that a fast hash is enough.
        var sum: UInt64 = 0
        for word in words {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 32
        }
        var hasher = Hasher()
        hasher.combine(sum)
        guard options.hash(into: &hasher) else {
            return nil
        }
        return RequestDescription(hash: hasher.finalize(), words: words, options: options)
    }

    func isEqual(to other: RequestDescription) -> Bool {
        words == other.words && options.areEqual(to: other.options)
    }

    private static func append(_ target: RequestTarget, to words: inout [UInt64]) -> Bool {
        switch target.server {
        case .defaultServer: words.append(target.isConfined ? 4 : 0)
        case .key(let alias):
            words.append(1)
            append(alias.rawValue, to: &words)
        case .address(let address):
            words.append(2)
            append(address, to: &words)
        case .url(let url):
            // A page at another server, or in plain HTTP behind one by HTTPS, gets less than a call of the same URL.
            words.append(target.leavesEncryption ? 5 : target.isGiven ? 6 : 3)
            append(url, to: &words)
        }
        if let api = target.api {
            words.append(1)
            append(api, to: &words)
        } else if let endpoint = target.endpoint {
            guard case .success = endpoint.parts else {
                return false
            }
            words.append(2)
            append(endpoint.source, to: &words)
        } else {
            words.append(0)
        }
        return true
    }

    private static func append(_ name: String, _ value: JSONValue, to words: inout [UInt64]) -> Bool {
        append(name, to: &words)
        switch value {
        case .string(let text):
            words.append(1)
            append(text, to: &words)
        case .int(let number):
            words.append(2)
            words.append(UInt64(bitPattern: number))
        case .bool(let isTrue):
            words.append(isTrue ? 3 : 4)
        case .null, .double, .number, .array, .object:
            return false
        }
        return true
    }

    private static func append(_ text: String, to words: inout [UInt64]) {
        var text = text
        text.withUTF8 { bytes in
            words.append(UInt64(bytes.count))
            let raw = UnsafeRawBufferPointer(bytes)
            let end = bytes.count & ~7
            for index in stride(from: 0, to: end, by: 8) {
                words.append(unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            }
            guard end < bytes.count else {
                return
            }
            var last: UInt64 = 0
            for index in end..<bytes.count {
                last = last << 8 | UInt64(unsafe bytes[index])
            }
            words.append(last)
        }
    }
}
