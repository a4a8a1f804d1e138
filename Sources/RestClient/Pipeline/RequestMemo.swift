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

    /// Returns the request that a node describes; that of an equal node if there was one before. Defects are not
    /// memoized.
    func request(
        _ specification: RequestSpecification,
        _ registries: RegistrySnapshot,
        _ surroundings: CallSurroundings
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
