// SPDX-License-Identifier: MIT

enum CacheLookup: Sendable, Equatable {
    case use(CacheUse)
    case revalidate(CacheMissReason)
    case complete(range: String, validator: String)
    case fetch(CacheMissReason)
    case refuse(CacheMissReason)
}

struct CacheUse: Sendable, Equatable {
    var age: Duration
    var lifetime: Duration?
    var staleness: CacheExplanation.Staleness?
    var delivery: CacheDelivery
}

enum CacheDelivery: Sendable, Equatable {
    case whole
    case part(Range<Int>, contentRange: String)
    /// As a 304, because the caller already has it.
    case confirmation
}

enum CacheStoring: Sendable, Equatable {
    case store(variedBy: [String])
    case leave(CacheRefusal)
}
