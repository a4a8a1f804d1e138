// SPDX-License-Identifier: MIT

@testable import RestClient

/// The verbs of ``PageRule``, for tables of schemes.
extension PageScheme {
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
