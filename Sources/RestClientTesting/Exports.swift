// SPDX-License-Identifier: MIT

// Fixtures are configured with the rules of recordings.
@_exported public import RestClientRecording
