// SPDX-License-Identifier: MIT

protocol GraphOutline: Sendable {
    var count: Int { get }

    var edges: [JobEdge] { get }

    func name(of node: Int) -> String

    func kind(of node: Int) -> JobKind

    func tags(of node: Int) -> [String]

    func holds<Value>(_ handle: JobHandle<Value>) -> Bool
}
