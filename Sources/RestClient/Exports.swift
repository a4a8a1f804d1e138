// SPDX-License-Identifier: MIT

// The types of requests, responses and shared values are part of this library's API, so its users need no further
// import or dependency.
@_exported public import HTTPTypes
@_exported public import JobGraphs
@_exported public import SharedStore
