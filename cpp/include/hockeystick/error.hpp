// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace hockeystick {

// A bracket as narrow as asked for cannot be certified; the message says which width could be reached.
// Arguments that make no sense are std::invalid_argument instead. Python sees hockeystick.AccuracyError.
class accuracy_error : public std::runtime_error {
public:
    explicit accuracy_error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace hockeystick
