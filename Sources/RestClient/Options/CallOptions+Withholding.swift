// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallOptions {
    /// Removes the credentials that the manager and the environment set, because the target is not a registered server.
    ///
    /// The names of the removed fields become an option of their own, which explanations show.
    mutating func withholdCredentials() {
        let parts = contributions(to: .headers)
        guard let outermost = parts.first?.level, outermost <= .manager else {
            return
        }
        let declared = self[.credentialFields] ?? []
        let free = self[.fieldsForAnyOrigin] ?? []
        var kept = CallOptions()
        var withheld = CallOptions()
        for (level, fields) in parts {
            var fields = fields
            if level <= .manager {
                let names = fields.names.filter { Credentials.contain($0, declared: declared) && !free.contains($0) }
                fields.remove(names)
                if !names.isEmpty {
                    withheld = withheld.overlaid(with: CallOptions(.withheldFields, names), at: level)
                }
            }
            if !fields.isEmpty {
                kept = kept.overlaid(with: CallOptions(.headers, fields), at: level)
            }
        }
        guard withheld[.withheldFields] != nil else {
            return
        }
        self[.headers] = nil
        self = overlaid(with: kept).overlaid(with: withheld)
    }

    private init<Value>(_ key: CallOptionKey<Value>, _ value: Value) {
        self.init()
        self[key] = value
    }
}
