#include "complex_fft.hpp"

#include <cmath>
#include <cstddef>

namespace caec_detail {

namespace {

template <class Point> inline Point operator+(Point a, Point b) { return {a.re + b.re, a.im + b.im}; }
template <class Point> inline Point operator-(Point a, Point b) { return {a.re - b.re, a.im - b.im}; }

/// The product with a factor; for the inverse, with its conjugate.
template <bool isInverse, class Point> inline Point turn(Point a, Lanes re, Lanes im) {
    if (isInverse) { return {a.re * re + a.im * im, a.im * re - a.re * im}; }
    return {a.re * re - a.im * im, a.re * im + a.im * re};
}

/// Transform of four points that were turned.
template <bool isInverse, class Point> inline void transform4(Point &a, Point &b, Point &c, Point &d) {
    const Point even = a + c, odd = a - c, sum = b + d, difference = b - d;
    a = even + sum;
    c = even - sum;
    const Point left{odd.re + difference.im, odd.im - difference.re};
    const Point right{odd.re - difference.im, odd.im + difference.re};
    b = isInverse ? right : left;
    d = isInverse ? left : right;
}

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
template <bool isInverse, class Read> void ComplexFFT::gather(Read read) {
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

template <bool isInverse> void ComplexFFT::pass2(const Stage &stage) {
    const int span = stage.span;
    const int quarter = quarter_;
    Point *const points = points_.data();
    const float *f = stage.factors.data();
    for (int k = 0; k < span; k++, f += 2) {
        const Lanes re = all(f[0]), im = all(f[1]);
        for (int n = k; n < quarter; n += 2 * span) {
            Point *at = points + n;
            const Point turned = turn<isInverse>(at[span], re, im);
            at[span] = at[0] - turned;
            at[0] = at[0] + turned;
        }
    }
}

template <bool isInverse> void ComplexFFT::pass3(const Stage &stage) {
    const int span = stage.span;
    const int quarter = quarter_;
    Point *const points = points_.data();
    const float *f = stage.factors.data();
    float re, im;
    factor(1, 3, re, im);
    const Lanes height = all(isInverse ? -im : im);
    for (int k = 0; k < span; k++, f += 4) {
        const Lanes re1 = all(f[0]), im1 = all(f[1]), re2 = all(f[2]), im2 = all(f[3]);
        for (int n = k; n < quarter; n += 3 * span) {
            Point *at = points + n;
            const Point b = turn<isInverse>(at[span], re1, im1), c = turn<isInverse>(at[2 * span], re2, im2);
            const Point sum = b + c, difference = b - c;
            const Point middle{at[0].re - sum.re * 0.5f, at[0].im - sum.im * 0.5f};
            const Point across{difference.re * height, difference.im * height};
            at[0] = at[0] + sum;
            at[span] = {middle.re - across.im, middle.im + across.re};
            at[2 * span] = {middle.re + across.im, middle.im - across.re};
        }
    }
}

template <bool isInverse> void ComplexFFT::pass4(const Stage &stage) {
    const int span = stage.span;
    const int quarter = quarter_;
    Point *const points = points_.data();
    const float *f = stage.factors.data();
    for (int k = 0; k < span; k++, f += 6) {
        const Lanes re1 = all(f[0]), im1 = all(f[1]), re2 = all(f[2]), im2 = all(f[3]), re3 = all(f[4]), im3 = all(f[5]);
        for (int n = k; n < quarter; n += 4 * span) {
            Point *at = points + n;
            Point a = at[0], b = turn<isInverse>(at[span], re1, im1), c = turn<isInverse>(at[2 * span], re2, im2),
                  d = turn<isInverse>(at[3 * span], re3, im3);
            transform4<isInverse>(a, b, c, d);
            at[0] = a;
            at[span] = b;
            at[2 * span] = c;
            at[3 * span] = d;
        }
    }
}

template <bool isInverse> void ComplexFFT::pass5(const Stage &stage) {
    const int span = stage.span;
    const int quarter = quarter_;
    Point *const points = points_.data();
    const float *f = stage.factors.data();
    float re, im;
    factor(1, 5, re, im);
    const Lanes near = all(re), nearHeight = all(isInverse ? -im : im);
    factor(2, 5, re, im);
    const Lanes far = all(re), farHeight = all(isInverse ? -im : im);
    for (int k = 0; k < span; k++, f += 8) {
        for (int n = k; n < quarter; n += 5 * span) {
            Point *at = points + n;
            const Point a = at[0], b = turn<isInverse>(at[span], all(f[0]), all(f[1])),
                        c = turn<isInverse>(at[2 * span], all(f[2]), all(f[3])),
                        d = turn<isInverse>(at[3 * span], all(f[4]), all(f[5])),
                        e = turn<isInverse>(at[4 * span], all(f[6]), all(f[7]));
            const Point outer = b + e, inner = c + d, outerDifference = b - e, innerDifference = c - d;
            const Point first{a.re + outer.re * near + inner.re * far, a.im + outer.im * near + inner.im * far};
            const Point firstAcross{outerDifference.im * nearHeight + innerDifference.im * farHeight,
                                    -(outerDifference.re * nearHeight) - innerDifference.re * farHeight};
            const Point second{a.re + outer.re * far + inner.re * near, a.im + outer.im * far + inner.im * near};
            const Point secondAcross{innerDifference.im * nearHeight - outerDifference.im * farHeight,
                                     outerDifference.re * farHeight - innerDifference.re * nearHeight};
            at[0] = {a.re + (outer.re + inner.re), a.im + (outer.im + inner.im)};
            at[span] = first - firstAcross;
            at[2 * span] = second + secondAcross;
            at[3 * span] = second - secondAcross;
            at[4 * span] = first + firstAcross;
        }
    }
}

template <bool isInverse> void ComplexFFT::transformQuarters() {
    for (const Stage &stage : stages_) {
        switch (stage.radix) {
        case 2: pass2<isInverse>(stage); break;
        case 3: pass3<isInverse>(stage); break;
        case 4: pass4<isInverse>(stage); break;
        default: pass5<isInverse>(stage);
        }
    }
}

template <bool isInverse, class Write> void ComplexFFT::combine(Write write) {
    for (int k = 0; k < quarter_; k += 4) {
        const Point *at = &points_[k];
        Point a = at[0], b = at[1], c = at[2], d = at[3];
        transpose(a.re, b.re, c.re, d.re);
        transpose(a.im, b.im, c.im, d.im);
        b = turn<isInverse>(b, load(&re_[0][k]), load(&im_[0][k]));
        c = turn<isInverse>(c, load(&re_[1][k]), load(&im_[1][k]));
        d = turn<isInverse>(d, load(&re_[2][k]), load(&im_[2][k]));
        transform4<isInverse>(a, b, c, d);
        write(k, a);
        write(k + quarter_, b);
        write(k + 2 * quarter_, c);
        write(k + 3 * quarter_, d);
    }
}

void ComplexFFT::forward(const float *pairs, float *re, float *im) {
    gather<false>([pairs](int n) {
        const Lanes low = load(pairs + 8 * n), high = load(pairs + 8 * n + 4);
        return Point{__builtin_shufflevector(low, high, 0, 2, 4, 6), __builtin_shufflevector(low, high, 1, 3, 5, 7)};
    });
    transformQuarters<false>();
    combine<false>([re, im](int k, const Point &point) {
        store(point.re, re + k);
        store(point.im, im + k);
    });
}

void ComplexFFT::inverse(const float *re, const float *im, float *pairs) {
    gather<true>([re, im](int n) { return Point{load(re + 4 * n), load(im + 4 * n)}; });
    transformQuarters<true>();
    combine<true>([pairs](int k, const Point &point) {
        store(__builtin_shufflevector(point.re, point.im, 0, 4, 1, 5), pairs + 2 * k);
        store(__builtin_shufflevector(point.re, point.im, 2, 6, 3, 7), pairs + 2 * k + 4);
    });
}

} // namespace caec_detail
