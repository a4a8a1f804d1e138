// SPDX-License-Identifier: MIT

/// The part of a call that the decoding of its responses depends on; equal calls share it.
final class DecodingTerms: Sendable {
    let dogma: any Dogma
    /// The call, with its whole request.
    let request: DogmaRequest
    let acceptedStatuses: StatusSet

    init(dogma: any Dogma, request: DogmaRequest, acceptedStatuses: StatusSet) {
        self.dogma = dogma
        self.request = request
        self.acceptedStatuses = acceptedStatuses
    }
}
