// SPDX-License-Identifier: MIT

/// A type whose values are credentials: a journal stores them only if its codec seals them.
package protocol CredentialResult {}
