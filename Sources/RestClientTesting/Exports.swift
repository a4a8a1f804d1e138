// SPDX-License-Identifier: MIT

// Tests use what they test, hold it back at gates, and configure fixtures with the rules of recordings.
@_exported public import ConcurrencyTesting
@_exported public import RestClient
@_exported public import RestClientRecording
