// SPDX-License-Identifier: MIT

extension CallPolicy {
    /// Determines the stages that the call passes; everything else of the policy must be settled.
    mutating func settleNeeds() {
        needs = options.needs
        if authentication != nil {
            needs.insert(.authentication)
        }
        if !headerProviders.isEmpty {
            needs.insert(.headerProviders)
        }
        if dummies != nil {
            needs.insert(.dummies)
        }
        if sharesFlight != true {
            needs.remove(.sharing)
        }
        if options[.progress] == nil, options[.progressEvents] != true {
            needs.remove(.progress)
        }
        if options[.minimumDuration] != nil || options[.fallback] != nil {
            needs.insert(.ending)
        }
    }
}
