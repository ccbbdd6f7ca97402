// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place that starts threads.

#include <cstddef>
#include <functional>

namespace hockeystick {

// Calls task(0), ..., task(count - 1), each once, on up to `threads` threads (at least 1; the calling one is among
// them), and returns when all are done. Tasks must be independent; whatever they write is the same for any number of
// threads. If some throw, the exception of the smallest index is thrown again. threads = 1 starts nothing and calls in
// order. The threads are joined before this returns: nothing is kept that a fork could break.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task);

}  // namespace hockeystick
