// SPDX-License-Identifier: Apache-2.0
// Powers under any associative product. Internal to the sources.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace hockeystick::detail {

// base taken `exponent` >= 1 times, by squaring: at most 2 log2(exponent) products.
template <class Value, class Product>
Value power(Value base, std::uint64_t exponent, Product product) {
    std::optional<Value> result;
    for (;; base = product(base, base)) {
        if (exponent % 2 == 1) result = result ? product(*result, base) : base;
        exponent /= 2;
        if (exponent == 0) return *std::move(result);
    }
}

}  // namespace hockeystick::detail
