// SPDX-License-Identifier: MIT

/// A job that sends a request, whatever its model is.
protocol RequestDescribing {
    /// The description of the call.
    var specification: RequestSpecification { get }
}

extension RequestNode: RequestDescribing {}
