// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@Suite struct AttachmentTests {
    @Test
    func `the part that was attached last is current, until it is detached`() {
        let place = Attachment<String>()
        #expect(place.current == nil)

        let first = place.attach("first")
        let second = place.attach("second")
        #expect(place.current == "second")

        place.detach(second)
        place.detach(second)
        #expect(place.current == "first")

        place.detach(first)
        #expect(place.current == nil)
    }

    @Test
    func `a part that is not the last one can be detached too`() {
        let place = Attachment<Int>()
        let first = place.attach(1)
        let second = place.attach(1)

        place.detach(first)
        #expect(place.current == 1)

        place.detach(second)
        #expect(place.current == nil)
    }
}
