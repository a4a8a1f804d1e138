// SPDX-License-Identifier: MIT

import JobGraphs

extension RunReport.Source {
    /// The source of a response, without its age.
    init(_ source: ResponseSource) {
        switch source {
        case .network: self = .network
        case .cache: self = .cache
        case .revalidatedCache: self = .revalidatedCache
        case .dummy: self = .dummy
        case .resultHandler: self = .resultHandler
        }
    }
}
