#include "complex_fft.hpp"

#include <cmath>
#include <cstddef>

namespace caec_detail {

namespace {

AS_CALLER Lanes operator+(const Lanes &a, const Lanes &b) { return {a.v + b.v}; }
AS_CALLER Lanes operator-(const Lanes &a, const Lanes &b) { return {a.v - b.v}; }
AS_CALLER Lanes operator*(const Lanes &a, float b) { return {a.v * b}; }

/// Four imaginary parts first, then the real ones.
AS_CALLER Lanes swapped(const Lanes &a) { return {__builtin_shufflevector(a.v, a.v, 4, 5, 6, 7, 0, 1, 2, 3)}; }

/// -1 for the real parts, and 1 for the imaginary ones.
constexpr Eight kSigns{-1, -1, -1, -1, 1, 1, 1, 1};

/// The product with i.
AS_CALLER Lanes quarterTurn(const Lanes &a) { return {swapped(a).v * kSigns}; }

/// A factor of points; of the inverse, its conjugate.
struct Factor {
    Eight re, im;
};
template <bool isInverse> AS_CALLER Factor factorOf(const float *pair) {
    const Eight signs = isInverse ? -kSigns : kSigns;
    const float re = pair[0];
    return {Eight{re, re, re, re, re, re, re, re}, signs * pair[1]};
}
template <bool isInverse> AS_CALLER Factor factorOf(const float *re, const float *im) {
    return {loadHalves(re, re).v, loadHalves(im, im).v * (isInverse ? -kSigns : kSigns)};
}

AS_CALLER Lanes operator*(const Lanes &a, const Factor &factor) { return {a.v * factor.re + swapped(a).v * factor.im}; }

/// Transform of four points that were turned.
template <bool isInverse> AS_CALLER void transform4(Lanes &a, Lanes &b, Lanes &c, Lanes &d) {
    const Lanes even = a + c, odd = a - c, sum = b + d, turned = quarterTurn(b - d);
    a = even + sum;
    c = even - sum;
    b = isInverse ? odd + turned : odd - turned;
    d = isInverse ? odd - turned : odd + turned;
}

/// Rows become columns, of the real and of the imaginary parts.
AS_CALLER void transpose(Lanes &a, Lanes &b, Lanes &c, Lanes &d) {
    const Eight lowA = __builtin_shufflevector(a.v, b.v, 0, 8, 1, 9, 4, 12, 5, 13);
    const Eight lowC = __builtin_shufflevector(c.v, d.v, 0, 8, 1, 9, 4, 12, 5, 13);
    const Eight highA = __builtin_shufflevector(a.v, b.v, 2, 10, 3, 11, 6, 14, 7, 15);
    const Eight highC = __builtin_shufflevector(c.v, d.v, 2, 10, 3, 11, 6, 14, 7, 15);
    a.v = __builtin_shufflevector(lowA, lowC, 0, 1, 8, 9, 4, 5, 12, 13);
    b.v = __builtin_shufflevector(lowA, lowC, 2, 3, 10, 11, 6, 7, 14, 15);
    c.v = __builtin_shufflevector(highA, highC, 0, 1, 8, 9, 4, 5, 12, 13);
    d.v = __builtin_shufflevector(highA, highC, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Sine of a third, sines and cosines of one and two fifths of a turn.
constexpr float kThird = -0.866025403784438647f;
constexpr float kFifthRe = 0.309016994374947424f, kFifthIm = -0.951056516295153572f;
constexpr float kTwoFifthsRe = -0.809016994374947424f, kTwoFifthsIm = -0.587785252292473129f;

/// exp(-2 pi i `index` / `size`).
void factor(int index, int size, float &re, float &im) {
    const double phase = -2 * M_PI * index / size;
    re = static_cast<float>(std::cos(phase));
    im = static_cast<float>(std::sin(phase));
}

} // namespace

ComplexFFT::ComplexFFT(int size)
    : quarter_(size / 4), order_(static_cast<size_t>(size / 16), 0), points_(static_cast<size_t>(size / 4)) {
    for (int q = 0; q < 3; q++) {
        re_[q].resize(static_cast<size_t>(quarter_));
        im_[q].resize(static_cast<size_t>(quarter_));
        for (int k = 0; k < quarter_; k++) { factor((q + 1) * k, size, re_[q][k], im_[q][k]); }
    }
    // From the largest transforms, whose points lie next to each other in the input, to those of four points.
    int distance = 1;
    for (int whole = quarter_; whole > 4;) {
        const int rest = whole / 4;
        // Fours at the end, as the smallest transforms need no factors.
        const bool areFours = (rest & (rest - 1)) == 0 && (rest & 0x55555555) != 0;
        const int radix = areFours ? 4 : rest % 5 == 0 ? 5 : rest % 3 == 0 ? 3 : 2;
        const int span = whole / radix;
        Stage stage{radix, span, {}};
        for (int k = 0; k < span; k++) {
            for (int j = 1; j < radix; j++) {
                float re, im;
                factor(4 * distance * j * k, size, re, im);
                stage.factors.push_back(re);
                stage.factors.push_back(im);
            }
        }
        stages_.insert(stages_.begin(), stage);
        for (int n = 0; n < quarter_ / 4; n++) { order_[n] += 4 * n % whole / span * distance; }
        distance *= radix;
        whole = span;
    }
}

/// Transforms fours, whose points are a quarter of the quarter apart in the input.
template <bool isInverse, class Read> AS_CALLER void ComplexFFT::gather(Read read) {
    const int apart = quarter_ / 4;
    Point *at = points_.data();
    for (const int n : order_) {
        Point a = read(n), b = read(n + apart), c = read(n + 2 * apart), d = read(n + 3 * apart);
        transform4<isInverse>(a, b, c, d);
        at[0] = a;
        at[1] = b;
        at[2] = c;
        at[3] = d;
        at += 4;
    }
}

template <bool isInverse> AS_CALLER void ComplexFFT::pass2(const Stage &stage) {
    const int span = stage.span;
    const int quarter = quarter_;
    Point *const points = points_.data();
    const float *f = stage.factors.data();
    for (int k = 0; k < span; k++, f += 2) {
        const Factor factor = factorOf<isInverse>(f);
        for (int n = k; n < quarter; n += 2 * span) {
            Point *at = points + n;
            const Point turned = at[span] * factor;
            at[span] = at[0] - turned;
            at[0] = at[0] + turned;
        }
    }
}

template <bool isInverse> AS_CALLER void ComplexFFT::pass3(const Stage &stage) {
    const int span = stage.span;
    const int quarter = quarter_;
    Point *const points = points_.data();
    const float *f = stage.factors.data();
    const float height = isInverse ? -kThird : kThird;
    for (int k = 0; k < span; k++, f += 4) {
        const Factor first = factorOf<isInverse>(f), second = factorOf<isInverse>(f + 2);
        for (int n = k; n < quarter; n += 3 * span) {
            Point *at = points + n;
            const Point b = at[span] * first, c = at[2 * span] * second;
            const Point sum = b + c, middle = at[0] - sum * 0.5f, across = quarterTurn((b - c) * height);
            at[0] = at[0] + sum;
            at[span] = middle + across;
            at[2 * span] = middle - across;
        }
    }
}

template <bool isInverse> AS_CALLER void ComplexFFT::pass4(const Stage &stage) {
    const int span = stage.span;
    const int quarter = quarter_;
    Point *const points = points_.data();
    const float *f = stage.factors.data();
    for (int k = 0; k < span; k++, f += 6) {
        const Factor first = factorOf<isInverse>(f), second = factorOf<isInverse>(f + 2), third = factorOf<isInverse>(f + 4);
        for (int n = k; n < quarter; n += 4 * span) {
            Point *at = points + n;
            Point a = at[0], b = at[span] * first, c = at[2 * span] * second, d = at[3 * span] * third;
            transform4<isInverse>(a, b, c, d);
            at[0] = a;
            at[span] = b;
            at[2 * span] = c;
            at[3 * span] = d;
        }
    }
}

template <bool isInverse> AS_CALLER void ComplexFFT::pass5(const Stage &stage) {
    const int span = stage.span;
    const int quarter = quarter_;
    Point *const points = points_.data();
    const float *f = stage.factors.data();
    const float nearHeight = isInverse ? -kFifthIm : kFifthIm, farHeight = isInverse ? -kTwoFifthsIm : kTwoFifthsIm;
    for (int k = 0; k < span; k++, f += 8) {
        for (int n = k; n < quarter; n += 5 * span) {
            Point *at = points + n;
            const Point a = at[0], b = at[span] * factorOf<isInverse>(f), c = at[2 * span] * factorOf<isInverse>(f + 2),
                        d = at[3 * span] * factorOf<isInverse>(f + 4), e = at[4 * span] * factorOf<isInverse>(f + 6);
            const Point outer = b + e, inner = c + d, outerDifference = b - e, innerDifference = c - d;
            const Point first = a + outer * kFifthRe + inner * kTwoFifthsRe;
            const Point firstAcross = quarterTurn(outerDifference * nearHeight + innerDifference * farHeight);
            const Point second = a + outer * kTwoFifthsRe + inner * kFifthRe;
            const Point secondAcross = quarterTurn(outerDifference * farHeight - innerDifference * nearHeight);
            at[0] = a + (outer + inner);
            at[span] = first + firstAcross;
            at[2 * span] = second + secondAcross;
            at[3 * span] = second - secondAcross;
            at[4 * span] = first - firstAcross;
        }
    }
}

template <bool isInverse> AS_CALLER void ComplexFFT::transformQuarters() {
    for (const Stage &stage : stages_) {
        switch (stage.radix) {
        case 2: pass2<isInverse>(stage); break;
        case 3: pass3<isInverse>(stage); break;
        case 4: pass4<isInverse>(stage); break;
        default: pass5<isInverse>(stage);
        }
    }
}

template <bool isInverse, class Write> AS_CALLER void ComplexFFT::combine(Write write) {
    for (int k = 0; k < quarter_; k += 4) {
        const Point *at = &points_[k];
        Point a = at[0], b = at[1], c = at[2], d = at[3];
        transpose(a, b, c, d);
        b = b * factorOf<isInverse>(&re_[0][k], &im_[0][k]);
        c = c * factorOf<isInverse>(&re_[1][k], &im_[1][k]);
        d = d * factorOf<isInverse>(&re_[2][k], &im_[2][k]);
        transform4<isInverse>(a, b, c, d);
        write(k, a);
        write(k + quarter_, b);
        write(k + 2 * quarter_, c);
        write(k + 3 * quarter_, d);
    }
}

WIDER void ComplexFFT::forward(const float *pairs, float *re, float *im) {
    gather<false>([pairs](int n) __attribute__((always_inline)) -> Point {
        const Eight v = load(pairs + 8 * n).v;
        return {__builtin_shufflevector(v, v, 0, 2, 4, 6, 1, 3, 5, 7)};
    });
    transformQuarters<false>();
    combine<false>([re, im](int k, const Point &point) __attribute__((always_inline)) { storeHalves(point, re + k, im + k); });
}

WIDER void ComplexFFT::inverse(const float *re, const float *im, float *pairs) {
    gather<true>([re, im](int n) __attribute__((always_inline)) { return loadHalves(re + 4 * n, im + 4 * n); });
    transformQuarters<true>();
    combine<true>([pairs](int k, const Point &point) __attribute__((always_inline)) {
        store({__builtin_shufflevector(point.v, point.v, 0, 4, 1, 5, 2, 6, 3, 7)}, pairs + 2 * k);
    });
}

} // namespace caec_detail
