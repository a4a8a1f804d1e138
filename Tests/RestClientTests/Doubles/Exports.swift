// SPDX-License-Identifier: MIT

// The doubles in TestSupport are used in most files of these tests.
@_exported import TestSupport
