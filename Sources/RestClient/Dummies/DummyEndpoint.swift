// SPDX-License-Identifier: MIT

import HTTPTypes

package struct DummyEndpoint: Sendable {
    let method: HTTPRequest.Method
    let template: PathTemplate
    let server: ServerAlias?
    let dogma: DogmaAlias
    let keyStrategy: KeyStrategy?
    let dateStrategy: DateStrategy?
}
