#pragma once
// Vectors of eight floats: one where the processor has such (AVX2), otherwise two of four (SSE, NEON).
#include <cstring>

// Compiled twice for x86-64: where the processor has vectors of eight, they take two thirds of the time. No sum runs across a
// vector, and no multiplication is fused, so the results are the same bits. On arm64, where vectors of four (NEON) are all there
// is, multiplications are fused.
#if defined(__x86_64__)
#define WIDER __attribute__((target_clones("avx2", "default")))
#else
#define WIDER
#endif
/// For a function that is to be compiled as its callers are, once for each.
#define AS_CALLER inline __attribute__((always_inline))

namespace caec_detail {

typedef float Eight __attribute__((vector_size(32)));

/// A struct, as vectors of eight have no register in which every processor could pass them.
struct Lanes {
    Eight v;
};

AS_CALLER Lanes load(const float *from) {
    Lanes lanes;
    std::memcpy(&lanes.v, from, sizeof(lanes.v));
    return lanes;
}

/// The eight numbers up to and including `*last`, the last one first.
AS_CALLER Lanes loadBackward(const float *last) {
    const Eight v = load(last - 7).v;
    return {__builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0)};
}

/// Four numbers from each of two places.
AS_CALLER Lanes loadHalves(const float *low, const float *high) {
    Lanes lanes;
    std::memcpy(&lanes.v, low, sizeof(lanes.v) / 2);
    std::memcpy(reinterpret_cast<char *>(&lanes.v) + sizeof(lanes.v) / 2, high, sizeof(lanes.v) / 2);
    return lanes;
}

AS_CALLER void store(const Lanes &lanes, float *to) { std::memcpy(to, &lanes.v, sizeof(lanes.v)); }

AS_CALLER void storeHalves(const Lanes &lanes, float *low, float *high) {
    std::memcpy(low, &lanes.v, sizeof(lanes.v) / 2);
    std::memcpy(high, reinterpret_cast<const char *>(&lanes.v) + sizeof(lanes.v) / 2, sizeof(lanes.v) / 2);
}

} // namespace caec_detail
