// SPDX-License-Identifier: MIT

extension CacheExplanation {
    /// The decisions as a value of the `Cache-Status` field (RFC 9211, section 2).
    public var cacheStatus: String {
        var parts = ["RestClient"]
        switch outcome {
        case .notAsked:
            parts.append("fwd=bypass")
        case .fresh, .stale(.allowedByRequest), .stale(.whileRevalidating):
            parts.append("hit")
        case .stale(.onFailure):
            // Not a hit, because the request was forwarded (section 2.1).
            parts.append("fwd=stale")
            if let status = forwardedStatus {
                parts.append("fwd-status=\(status)")
            }
            parts.append("detail=stale-on-failure")
        case .confirmed(let reason):
            parts += ["fwd=\(reason.forwarding)", "fwd-status=304"]
        case .forwarded(let reason):
            parts.append("fwd=\(reason.forwarding)")
            if let status = forwardedStatus {
                parts.append("fwd-status=\(status)")
            }
        case .refused(let reason):
            parts.append("detail=not-cached-\(reason.forwarding)")
        }
        if let age, let lifetime {
            parts.append("ttl=\((lifetime - age).components.seconds)")
        }
        if isShared {
            parts.append("collapsed")
        }
        switch storing {
        // The parameter describes the forwarded response, which a hit does not have.
        case .updated where outcome == .fresh: break
        case .stored, .updated: parts.append("stored")
        case .left(let refusal): parts.append("detail=\(refusal.detail)")
        case .notAsked: break
        }
        return parts.joined(separator: "; ")
    }
}

extension CacheMissReason {
    fileprivate var forwarding: String {
        switch self {
        case .absent: "uri-miss"
        case .variant: "vary-miss"
        case .stale, .noCache, .invalidated: "stale"
        case .requested, .conditional: "request"
        case .partial: "partial"
        case .method: "method"
        case .unreadable: "miss"
        case .bypassed: "bypass"
        }
    }
}

extension CacheRefusal {
    fileprivate var detail: String {
        switch self {
        case .requestForbids: "request-no-store"
        case .serverForbids: "no-store"
        case .status: "status"
        case .method: "method"
        case .variesByAnything: "vary"
        case .partial: "partial"
        case .altered: "altered"
        case .redirect: "redirect"
        case .invalidated: "invalidated"
        case .superseded: "superseded"
        case .unwanted: "unwanted"
        case .failed: "failed"
        }
    }
}
