// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct InvalidationLogTests {
    @Test
    func `what was asked for before a change is not stored after it`() {
        var log = InvalidationLog()
        let before = log.now
        log.invalidate("a")
        #expect(!log.allows("a", askedAt: before))
        #expect(log.allows("b", askedAt: before))
        #expect(log.allows("a", askedAt: log.now))
        log.invalidateAll()
        #expect(!log.allows("b", askedAt: before))
        #expect(log.allows("b", askedAt: log.now))
    }

    @Test
    func `what is no longer remembered counts as changed`() {
        var log = InvalidationLog()
        let before = log.now
        for number in 0...InvalidationLog.limit {
            log.invalidate("\(number)")
        }
        #expect(!log.allows("0", askedAt: before))
        #expect(!log.allows("never", askedAt: before))
        #expect(log.allows("0", askedAt: log.now))
    }
}
