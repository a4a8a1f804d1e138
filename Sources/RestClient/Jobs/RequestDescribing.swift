// SPDX-License-Identifier: MIT

/// A job that sends a request, independent of its model.
protocol RequestDescribing {
    var specification: RequestSpecification { get }
}

extension RequestNode: RequestDescribing {}
