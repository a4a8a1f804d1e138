// SPDX-License-Identifier: MIT

/// Formats the `Cache-Status` field (RFC 9211).
enum CacheStatusField {
    static let cacheName = "RestClient"

    static func member(_ explanation: CacheExplanation) -> String {
        var parts = [cacheName]
        switch explanation.outcome {
        case .notAsked:
            parts.append("fwd=bypass")
        case .fresh, .stale(.allowedByRequest), .stale(.whileRevalidating):
            parts.append("hit")
        case .stale(.onFailure):
            // Not a hit, because the request was forwarded (section 2.1).
            parts.append("fwd=stale")
            if let status = explanation.forwardedStatus {
                parts.append("fwd-status=\(status)")
            }
            parts.append("detail=stale-on-failure")
        case .confirmed(let reason):
            parts += ["fwd=\(forwarding(reason))", "fwd-status=304"]
        case .forwarded(let reason):
            parts.append("fwd=\(forwarding(reason))")
            if let status = explanation.forwardedStatus {
                parts.append("fwd-status=\(status)")
            }
        case .refused(let reason):
            parts.append("detail=\(detail(reason))")
        }
        if let age = explanation.age, let lifetime = explanation.lifetime {
            parts.append("ttl=\((lifetime - age).components.seconds)")
        }
        if explanation.isShared {
            parts.append("collapsed")
        }
        switch explanation.storing {
        // The parameter describes the forwarded response, which a hit does not have.
        case .updated where explanation.outcome == .fresh: break
        case .stored, .updated: parts.append("stored")
        case .left(let refusal): parts.append("detail=\(detail(refusal))")
        case .notAsked: break
        }
        return parts.joined(separator: "; ")
    }

    private static func forwarding(_ reason: CacheMissReason) -> String {
        switch reason {
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

    private static func detail(_ reason: CacheMissReason) -> String {
        "not-cached-\(forwarding(reason))"
    }

    private static func detail(_ refusal: CacheRefusal) -> String {
        switch refusal {
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
