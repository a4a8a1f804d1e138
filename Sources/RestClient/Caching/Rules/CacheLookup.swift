// SPDX-License-Identifier: MIT

/// What to do about a request, given what is stored.
enum CacheLookup: Sendable, Equatable {
    /// Deliver the stored response.
    case use(CacheUse)
    /// Ask the server whether the stored response is still the same.
    case revalidate(CacheMissReason)
    /// Ask the server for the part that is missing, if the rest is still the same.
    case complete(range: String, validator: String)
    /// Ask the server.
    case fetch(CacheMissReason)
    /// Fail: the policy or the request does not allow the network.
    case refuse(CacheMissReason)
}

/// How a stored response is used.
struct CacheUse: Sendable, Equatable {
    /// The time since the server made or confirmed the response.
    var age: Duration
    /// How long the response is fresh; `nil` when nobody says.
    var lifetime: Duration?
    /// Why a response that is not fresh is good enough; `nil` when it is fresh.
    var staleness: CacheExplanation.Staleness?
    /// In which form it is delivered.
    var delivery: CacheDelivery
}

/// In which form a stored response is delivered.
enum CacheDelivery: Sendable, Equatable {
    /// As it is stored.
    case whole
    /// As a 206 with some of its bytes.
    case part(Range<Int>, contentRange: String)
    /// As a 304: the caller has it already.
    case confirmation
}

/// What to do about a response of the server.
enum CacheStoring: Sendable, Equatable {
    /// Store it, apart from answers to requests that differ in these fields.
    case store(variedBy: [String])
    case leave(CacheRefusal)
}
