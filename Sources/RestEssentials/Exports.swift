// SPDX-License-Identifier: MIT

// Foundation's essential types, under one name on every platform: on Linux without libFoundation and its ICU data.

#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
