// SPDX-License-Identifier: MIT

// This package's own tests use the same tools as its users: one import provides both.
@_exported public import RestClientTesting
