// SPDX-License-Identifier: MIT

// Tests use the library under test, pause it with gates, and configure fixtures with the rules of recordings.
@_exported public import ConcurrencyTesting
@_exported public import RestClient
@_exported public import RestClientRecording
