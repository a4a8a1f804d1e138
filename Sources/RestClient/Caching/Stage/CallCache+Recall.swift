// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

extension CallCache {
    /// Returns the stored response for a request that was sent before, if it can be used unchanged.
    ///
    /// This spares a hit the computation of its key, the decoding of its row and the stages around the cache. It
    /// decides only the simple cases and leaves all others to the stages.
    ///
    /// - Parameter terms: The terms of the request, which are recallable.
    /// - Returns: The response, with the body if the memory holds it; `nil` if the call must pass its stages.
    func recall(_ terms: CacheTerms) -> RecalledResponse? {
        guard let row = terms.row.withLock({ $0 }), responses.isKeeping(in: row.storage) else {
            return nil
        }
        return row.response(terms.policy, now: now())
    }

    /// Memoizes a fresh response of a call for equal calls.
    func remember(_ stored: StoredResponse, for request: OutgoingRequest, _ facts: CacheRequest) {
        guard let terms = CacheTerms.recallable(request.method, request.body, request.call.settled.policy),
            let row = RecalledRow(stored, in: responses.place, for: request, facts, terms.policy)
        else {
            return
        }
        terms.row.withLock { $0 = row }
    }
}

extension CacheTerms {
    /// Returns the terms of a call whose stored response may be recalled: its request depends only on its node and the
    /// registries.
    static func recallable(_ method: HTTPRequest.Method, _ body: RequestBody?, _ policy: CallPolicy) -> CacheTerms? {
        guard method == .get, body == nil, policy.headerProviders.isEmpty, policy.tokenField == nil,
            policy.options[.callInterceptors] == nil
        else {
            return nil
        }
        return policy.part()
    }
}
