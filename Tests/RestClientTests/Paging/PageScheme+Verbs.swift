// SPDX-License-Identifier: MIT

@testable import RestClient

/// The verbs of ``PageRule``, for tables of schemes.
extension PageScheme {
    static let link = PageScheme(.link(relation: "next"))
    static let nextURL = PageScheme(.nextURL)

    static func offset(_ parameter: String = "offset", first: Int = 0) -> PageScheme {
        PageScheme(.offset(parameter: parameter, first: first))
    }

    static func number(_ parameter: String = "page", first: Int = 1) -> PageScheme {
        PageScheme(.number(parameter: parameter, first: first))
    }

    static func cursor(_ parameter: String = "cursor") -> PageScheme {
        PageScheme(.cursor(parameter: parameter))
    }

    consuming func size(_ size: Int, as parameter: String) -> Self {
        self.size = size
        sizeParameter = parameter
        return self
    }

    consuming func limit(_ pages: Int?) -> Self {
        pageLimit = pages
        return self
    }

    consuming func prefetching(_ prefetches: Bool = true) -> Self {
        self.prefetches = prefetches
        return self
    }

    consuming func continuingAfterShortPages() -> Self {
        endsWithShortPage = false
        return self
    }
}

extension PagingStateMachine {
    init(_ rule: PageScheme, state: PagingState) throws {
        self.init(rule)
        try restore(state)
    }
}
