// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@Suite struct SecureGeneratorTests {
    @Test
    func `a generator occupies memory, so that it has an address of its own`() {
        #expect(MemoryLayout<SecureGenerator>.size > 0)
        #expect(MemoryLayout<SystemRandomNumberGenerator>.size == 0, "SecureGenerator is needed no more")
    }

    @Test
    func `generators yield different numbers`() {
        var (first, second) = (SecureGenerator(), SecureGenerator())
        let numbers = (0..<100).flatMap { _ in [first.next(), second.next()] }
        #expect(Set(numbers).count == 200)
    }
}
