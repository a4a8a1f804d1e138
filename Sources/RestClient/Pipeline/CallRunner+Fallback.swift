// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

extension CallRunner {
    /// Returns the result of the first fallback that has one, each resolved as a branch of the failed call; throws the
    /// error of the call if none has, or if it uses none after that error.
    func fallBack<Model>(
        _ node: RequestNode<Model>,
        _ failed: CallContext,
        after error: any Error
    ) async throws -> (model: Model, details: ResponseDetails) {
        let error = (error as? RestClientError)?.readable(in: failed) ?? error
        guard let chain = failed.options[.fallback], !failed.isCancelled, chain.isUsed(after: error) else {
            throw error
        }
        for fallback in chain.fallbacks {
            var repetition = Repetition(of: failed)
            repetition.isBoundToServer = node.specification.target.page != nil
            try failed.checkCancellation()
            if case .server = fallback.step, case .stop(let reason) = repetition.verdict(.fallback) {
                failed.tell("the \(fallback) was not asked, because \(reason.clause)")
                continue
            }
            core.hub.emit(.callFellBack(to: "\(fallback)", error), failed)
            failed.tell("the call fell back to the \(fallback)")
            do {
                var result: (model: Model, details: ResponseDetails)
                if case .value(let value) = fallback.step {
                    guard let model = value as? Model else {
                        throw RestClientError(.decodingFailed, "a \(type(of: value)) is not a \(Model.self)")
                    }
                    result = (model, details(RawResponse(source: .fallback), .notAsked, failed))
                } else {
                    result = try await fetch(try branch(of: failed, for: fallback, node), node.decoding, nil)
                }
                result.details.fallback = fallback
                return result
            } catch {
                failed.tell("the \(fallback) gave no result (\(Redaction.error(error)))")
            }
        }
        throw failed.isCancelled ? CancellationError() : error
    }

    /// Resolves the request of a node as a fallback changes it, as a branch of the failed call.
    private func branch<Model>(
        of failed: CallContext,
        for fallback: Fallback,
        _ node: RequestNode<Model>
    ) throws -> CallContext {
        var node = node
        switch fallback.step {
        case .server(let alias):
            node.specification.target.setAlternative(alias)
        case .cache(let maxAge):
            // What the call stored has the key of its own policy.
            let policy = failed.options[.cachePolicy] ?? .networkOnly
            node = node.cache(policy.readingOnly(maxAge: maxAge)).timeout(nil)
        case .dummy:
            node = node.cache(.networkOnly).dummies(.strict).timeout(nil)
        case .value:
            break
        }
        let beginning = CallContext.Beginning(id: failed.entryID, groupID: failed.groupID, start: failed.start)
        let context = try prepare(node.specification, beginning)
        var policy = context.policy
        if case .dummy = fallback.step {
            policy.leaveServerAlone()
        }
        return context.asFallback(of: failed, policy: policy)
    }
}

extension CallPolicy {
    /// Removes what concerns only a real server, for a call that a dummy responds to.
    fileprivate mutating func leaveServerAlone() {
        pass = nil
        // A run for real may rest on it, since its program says so.
        origin = nil
        tokenField = nil
        set(nil as AuthenticationScheme?)
        options[.retry] = nil
        options[.sharesFlight] = nil
        settleNeeds()
        needs.subtract(.real)
    }
}
