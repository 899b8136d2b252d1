#pragma once
// Vectors of four floats, as every processor that the program runs on has them (SSE, NEON).
#include <cstring>

namespace caec_detail {

typedef float Lanes __attribute__((vector_size(16)));

inline Lanes load(const float *from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof(lanes));
    return lanes;
}

/// The four numbers up to and including `*last`, the last one first.
inline Lanes loadBackward(const float *last) {
    const Lanes lanes = load(last - 3);
    return __builtin_shufflevector(lanes, lanes, 3, 2, 1, 0);
}

inline void store(Lanes lanes, float *to) { std::memcpy(to, &lanes, sizeof(lanes)); }

inline Lanes all(float value) { return Lanes{value, value, value, value}; }

/// Rows become columns.
inline void transpose(Lanes &a, Lanes &b, Lanes &c, Lanes &d) {
    const Lanes lowA = __builtin_shufflevector(a, b, 0, 4, 1, 5), lowC = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Lanes highA = __builtin_shufflevector(a, b, 2, 6, 3, 7), highC = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(lowA, lowC, 0, 1, 4, 5);
    b = __builtin_shufflevector(lowA, lowC, 2, 3, 6, 7);
    c = __builtin_shufflevector(highA, highC, 0, 1, 4, 5);
    d = __builtin_shufflevector(highA, highC, 2, 3, 6, 7);
}

} // namespace caec_detail
