// SPDX-License-Identifier: MIT

protocol NamedRun: AnyObject, Sendable {
    var id: GroupID { get }

    func cancel()
}
