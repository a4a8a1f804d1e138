// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

protocol SendingExchange: AnyObject, CancellableWork {
    var isSent: Bool { get }

    func uploads(_ upload: Task<Void, Never>)
}

#endif
