#pragma once
// Complex Fourier transforms of one size, of four at a time.
//
// Decimation in time: every fourth point belongs to the same quarter. The transforms of the four quarters run side by
// side, their real and imaginary parts in the lanes of one vector, and a last step combines them. A library that works
// on single numbers (kissfft) takes four times as long, which was a third of the canceller's time.
#include <vector>

#include "lanes.hpp"

namespace caec_detail {

class ComplexFFT {
public:
    /// `size`: a multiple of 16 without prime factors above 5.
    explicit ComplexFFT(int size);

    /// From `size` complex numbers, real and imaginary part in turn.
    void forward(const float *pairs, float *re, float *im);
    /// The reverse, `size` times as large: to real and imaginary part in turn.
    void inverse(const float *re, const float *im, float *pairs);

private:
    /// The same point of each quarter: four real parts, then four imaginary parts.
    using Point = Lanes;
    /// Transforms of `radix * span` points from `radix` transforms of `span` points each.
    struct Stage {
        int radix, span;
        /// For each of the `span` points: real parts and imaginary parts of the `radix - 1` factors.
        std::vector<float> factors;
    };

    template <bool isInverse, class Read> void gather(Read read);
    template <bool isInverse> void transformQuarters();
    template <bool isInverse, class Write> void combine(Write write);
    template <bool isInverse> void pass2(const Stage &stage);
    template <bool isInverse> void pass3(const Stage &stage);
    template <bool isInverse> void pass4(const Stage &stage);
    template <bool isInverse> void pass5(const Stage &stage);

    int quarter_;
    std::vector<Stage> stages_;  ///< Those beyond the transforms of four points, the smallest first.
    std::vector<int> order_;     ///< Place in the input of the first of each four points of a quarter.
    std::vector<Point> points_;  ///< The four quarters side by side.
    /// Factors of the last step, for quarters 1 to 3.
    std::vector<float> re_[3], im_[3];
};

} // namespace caec_detail
