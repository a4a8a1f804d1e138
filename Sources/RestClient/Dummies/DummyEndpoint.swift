// SPDX-License-Identifier: MIT

import HTTPTypes

/// The endpoint of a registered API, as dummies know it.
package struct DummyEndpoint: Sendable {
    let method: HTTPRequest.Method
    let template: PathTemplate
    let server: ServerAlias?
    let dogma: DogmaAlias
    let keyStrategy: KeyStrategy?
    let dateStrategy: DateStrategy?
}
