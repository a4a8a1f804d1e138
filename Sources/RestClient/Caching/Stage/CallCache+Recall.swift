// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

extension CallCache {
    /// Returns the stored response to a request that was sent before, if it may be used as it is.
    ///
    /// This spares a hit its key, the reading of its row and the stages around the cache, and decides nothing: whatever
    /// is not plain is left to them.
    ///
    /// - Parameter request: The request, with complete header fields.
    /// - Returns: The response; `nil` if the call must pass its stages.
    func recall(_ request: OutgoingRequest) async -> RecalledResponse? {
        guard let terms = CacheTerms.recallable(request), let row = terms.row.withLock({ $0 }),
            row.storage === responses.storage
        else {
            return nil
        }
        return await row.response(terms.policy, now: now())
    }

    /// Remembers a fresh response that a call found, for equal calls.
    func remember(_ stored: StoredResponse, for request: OutgoingRequest, _ facts: CacheRequest) {
        guard let terms = CacheTerms.recallable(request),
            let row = RecalledRow(stored, in: responses.storage, for: facts, terms.policy)
        else {
            return
        }
        terms.row.withLock { $0 = row }
    }
}

extension CacheTerms {
    /// Returns the terms of a call whose stored response may be recalled: nothing but its node and the registries
    /// decides about its request.
    fileprivate static func recallable(_ request: OutgoingRequest) -> CacheTerms? {
        let call = request.call
        guard request.method == .get, request.body == nil, call.policy.headerProviders.isEmpty,
            call.policy.tokenField == nil, call.options[.callInterceptors] == nil
        else {
            return nil
        }
        return call.policy.part()
    }
}
