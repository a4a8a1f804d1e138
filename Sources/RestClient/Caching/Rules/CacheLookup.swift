// SPDX-License-Identifier: MIT

/// The decision about a request, given the stored response.
enum CacheLookup: Sendable, Equatable {
    /// Deliver the stored response.
    case use(CacheUse)
    /// Revalidate the stored response.
    case revalidate(CacheMissReason)
    /// Request the missing part, if the rest is still the same.
    case complete(range: String, validator: String)
    /// Send the request to the server.
    case fetch(CacheMissReason)
    /// Fail: the policy or the request does not allow the network.
    case refuse(CacheMissReason)
}

/// The use of a stored response.
struct CacheUse: Sendable, Equatable {
    /// The time since the server made or confirmed the response.
    var age: Duration
    /// The freshness lifetime; `nil` if it is unknown.
    var lifetime: Duration?
    /// The reason why a stale response may be used; `nil` if it is fresh.
    var staleness: CacheExplanation.Staleness?
    /// The form in which it is delivered.
    var delivery: CacheDelivery
}

/// The form in which a stored response is delivered.
enum CacheDelivery: Sendable, Equatable {
    /// As it is stored.
    case whole
    /// As a 206 with some of its bytes.
    case part(Range<Int>, contentRange: String)
    /// As a 304, because the caller already has it.
    case confirmation
}

/// The decision about a response of the server.
enum CacheStoring: Sendable, Equatable {
    /// Store it, separately from responses to requests that differ in these fields.
    case store(variedBy: [String])
    case leave(CacheRefusal)
}
