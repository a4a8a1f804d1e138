// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@Suite struct TaskScopeTests {
    @Test
    func `scopes nest, and the innermost that fits is found`() {
        let scopes = TaskScope<Int>()
        #expect(scopes.innermost() == nil)
        scopes.open(1) {
            scopes.open(2) {
                #expect(scopes.innermost() == 2)
                #expect(scopes.innermost { $0 < 2 } == 1)
                #expect(scopes.innermost { $0 > 2 } == nil)
                #expect(scopes.contents == [2, 1])
            }
            #expect(scopes.contents == [1])
        }
        #expect(scopes.contents == [])
    }

    @Test
    func `tasks started in a scope are in it`() async {
        let scopes = TaskScope<String>()
        let (child, unstructured, detached) = await scopes.open("scope") {
            async let child = scopes.innermost()
            let unstructured = Task { scopes.innermost() }
            let detached = Task.detached { scopes.innermost() }
            return await (child, unstructured.value, detached.value)
        }
        #expect(child == "scope")
        #expect(unstructured == "scope")
        #expect(detached == nil)
    }

    @Test(arguments: [true, false])
    func `a remaining task is outside a scope that ends with its operation`(_ ends: Bool) async {
        let scopes = TaskScope<Int>(endsWithOperation: ends)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let task = scopes.open(1) {
            scopes.open(2) {
                Task {
                    for await _ in gate {}
                    return scopes.contents
                }
            }
        }
        open.finish()
        #expect(await task.value == (ends ? [] : [2, 1]))
    }

    @Test
    func `an operation can run outside of all scopes`() {
        let scopes = TaskScope<Int>()
        #expect(scopes.leave { scopes.innermost() } == nil)
        scopes.open(1) {
            #expect(scopes.leave { scopes.innermost() } == nil)
            #expect(scopes.innermost() == 1)
        }
    }

    @Test
    func `two kinds of scope do not see each other`() {
        let first = TaskScope<Int>()
        let second = TaskScope<Int>()
        first.open(1) {
            #expect(second.innermost() == nil)
            second.open(2) { #expect(first.innermost() == 1) }
        }
    }

    @MainActor
    @Test
    func `an operation keeps the caller's isolation`() async {
        let scopes = TaskScope<Int>()
        await scopes.open(1) {
            await Task {}.value
            MainActor.assertIsolated()
            #expect(scopes.innermost() == 1)
        }
    }
}
