// SPDX-License-Identifier: Apache-2.0
// Eight doubles that are worked on together, and how a function over them is compiled: the same source for several
// instruction sets, chosen at load time where the platform can (an ifunc: GCC or Clang, x86-64, glibc); elsewhere the
// baseline serves. Products and sums are never contracted (cmake/Options.cmake) and sums run in eight lanes everywhere,
// so every instruction set gives the same result. Included by the kernels alone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// The thread sanitizer's instrumentation would run in the resolver of the ifunc, before the sanitizer is there.
#if defined(__SANITIZE_THREAD__)
#define HOCKEYSTICK_NO_CLONES
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HOCKEYSTICK_NO_CLONES
#endif
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute) && !defined(HOCKEYSTICK_NO_CLONES)
#if __has_attribute(target_clones)
#define HOCKEYSTICK_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif
#endif
#ifndef HOCKEYSTICK_CLONES
#define HOCKEYSTICK_CLONES
#endif

#if defined(__GNUC__) && !defined(HOCKEYSTICK_PLAIN_PACK)
// What a clone calls must be compiled with it; nothing here is ever called out of line, so no ABI is concerned.
#define HOCKEYSTICK_INLINE inline __attribute__((always_inline))
#else
#define HOCKEYSTICK_INLINE inline
#endif

namespace hockeystick::lane {

inline constexpr std::size_t k_width = 8;

#if defined(__GNUC__) && !defined(HOCKEYSTICK_PLAIN_PACK)

typedef double Pack __attribute__((vector_size(64)));
typedef std::uint64_t BitPack __attribute__((vector_size(64)));

HOCKEYSTICK_INLINE Pack broadcast(double x) { return Pack{} + x; }
HOCKEYSTICK_INLINE BitPack bits_of(Pack x) { return reinterpret_cast<BitPack>(x); }
HOCKEYSTICK_INLINE Pack from_bits(BitPack x) { return reinterpret_cast<Pack>(x); }

#else

template <class T>
struct Lanes {
    T at[k_width];
    T& operator[](std::size_t i) { return at[i]; }
    const T& operator[](std::size_t i) const { return at[i]; }
};
using Pack = Lanes<double>;
using BitPack = Lanes<std::uint64_t>;

template <class T, class F>
auto each(const Lanes<T>& a, const Lanes<T>& b, F f) {
    Lanes<decltype(f(a[0], b[0]))> result;
    for (std::size_t i = 0; i < k_width; ++i) result[i] = f(a[i], b[i]);
    return result;
}
template <class T>
Lanes<T> filled(T x) {
    Lanes<T> result;
    for (T& lane : result.at) lane = x;
    return result;
}
#define HOCKEYSTICK_LANES(op)                                        \
    template <class T>                                               \
    auto operator op(const Lanes<T>& a, const Lanes<T>& b) {         \
        return each(a, b, [](T x, T y) { return x op y; });          \
    }                                                                \
    template <class T>                                               \
    auto operator op(const Lanes<T>& a, std::type_identity_t<T> b) { \
        return a op filled<T>(b);                                    \
    }                                                                \
    template <class T>                                               \
    auto operator op(std::type_identity_t<T> a, const Lanes<T>& b) { \
        return filled<T>(a) op b;                                    \
    }
HOCKEYSTICK_LANES(+)
HOCKEYSTICK_LANES(-)
HOCKEYSTICK_LANES(*)
HOCKEYSTICK_LANES(/)
HOCKEYSTICK_LANES(&)
HOCKEYSTICK_LANES(|)
HOCKEYSTICK_LANES(<<)
HOCKEYSTICK_LANES(>>)
#undef HOCKEYSTICK_LANES
inline Pack operator-(const Pack& x) { return 0.0 - x; }
inline Pack& operator+=(Pack& a, const Pack& b) { return a = a + b; }
inline Pack broadcast(double x) { return filled(x); }
inline BitPack operator~(const BitPack& x) { return filled(~std::uint64_t{0}) - x; }
inline BitPack bits_of(const Pack& x) { return std::bit_cast<BitPack>(x); }
inline Pack from_bits(const BitPack& x) { return std::bit_cast<Pack>(x); }

#endif

// All bits of a lane, or none. Comparisons are made of sums and shifts: compilers take packs wider than the machine's
// vectors apart into single lanes for a comparison, and for nothing else here.
using Mask = BitPack;
// a < b, where not both are the same infinity; -0 counts as less than 0.
HOCKEYSTICK_INLINE Mask less(Pack a, Pack b) { return std::uint64_t{0} - (bits_of(a - b) >> 63U); }
HOCKEYSTICK_INLINE Mask less(Pack a, double b) { return less(a, broadcast(b)); }
HOCKEYSTICK_INLINE Mask less(double a, Pack b) { return less(broadcast(a), b); }
HOCKEYSTICK_INLINE Mask is_odd(BitPack x) { return std::uint64_t{0} - (x & 1U); }
HOCKEYSTICK_INLINE Pack choose(Mask condition, Pack yes, Pack no) {
    return from_bits((bits_of(yes) & condition) | (bits_of(no) & ~condition));
}

HOCKEYSTICK_INLINE Pack load(const double* from) {
    Pack x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
HOCKEYSTICK_INLINE void store(double* to, Pack x) { std::memcpy(to, &x, sizeof x); }
HOCKEYSTICK_INLINE Pack absolute(Pack x) { return from_bits(bits_of(x) & 0x7FFFFFFFFFFFFFFFU); }
HOCKEYSTICK_INLINE Pack larger(Pack a, Pack b) { return choose(less(b, a), a, b); }
HOCKEYSTICK_INLINE Pack smaller(Pack a, Pack b) { return choose(less(a, b), a, b); }
// The lanes from the first to the last.
HOCKEYSTICK_INLINE double sum(Pack x) {
    double total = 0.0;
    for (std::size_t i = 0; i < k_width; ++i) total += x[i];
    return total;
}
HOCKEYSTICK_INLINE double largest(Pack x) {
    double result = x[0];
    for (std::size_t i = 1; i < k_width; ++i) result = x[i] > result ? x[i] : result;
    return result;
}

}  // namespace hockeystick::lane
