// SPDX-License-Identifier: MIT

public import JobGraphs

extension RunReport.Source {
    /// The source of a response, without its age.
    public init(_ source: ResponseSource) {
        switch source {
        case .network: self = .network
        case .cache: self = .cache
        case .revalidatedCache: self = .revalidatedCache
        case .dummy: self = .dummy
        case .resultHandler: self = .resultHandler
        }
    }
}
