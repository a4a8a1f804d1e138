// SPDX-License-Identifier: MIT

// Tests use what they test, and configure fixtures with the rules of recordings.
@_exported public import RestClient
@_exported public import RestClientRecording
