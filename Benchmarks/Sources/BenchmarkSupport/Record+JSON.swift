// SPDX-License-Identifier: MIT

extension Record {
    /// The response of the server.
    package static let json = #"""
        {"id":90210,"name":"Ada Lovelace","email":"ada.lovelace@example.com","active":true,"score":98.625,"tags":["alpha","beta","gamma","delta","epsilon"],"address":{"street":"12 Analytical Way","city":"London","zip":"W1A 1AA","lat":51.5074,"lon":-0.1278},"createdAt":"2026-11-20T12:34:56Z","note":"A record of the size that most answers have.............","orders":[{"id":1000,"sku":"SKU-00000","qty":1,"price":19.75,"shipped":true},{"id":1001,"sku":"SKU-00037","qty":2,"price":20.75,"shipped":false},{"id":1002,"sku":"SKU-00074","qty":3,"price":21.75,"shipped":true},{"id":1003,"sku":"SKU-00111","qty":4,"price":22.75,"shipped":false},{"id":1004,"sku":"SKU-00148","qty":5,"price":23.75,"shipped":true},{"id":1005,"sku":"SKU-00185","qty":6,"price":24.75,"shipped":false},{"id":1006,"sku":"SKU-00222","qty":7,"price":25.75,"shipped":true},{"id":1007,"sku":"SKU-00259","qty":8,"price":26.75,"shipped":false},{"id":1008,"sku":"SKU-00296","qty":9,"price":27.75,"shipped":true},{"id":1009,"sku":"SKU-00333","qty":10,"price":28.75,"shipped":false}]}
        """#
}
