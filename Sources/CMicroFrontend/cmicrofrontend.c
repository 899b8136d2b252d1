#include "cmicrofrontend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft.h"

// The stages in order, and the fractional bits of their values. All published microWakeWord models were trained with
// these constants.
//
//     window      30 ms, Hann
//     spectrum    512 points of the samples, shifted up as far as possible; energy of the bins
//     mel filter  40 channels from 125 to 7500 Hz; square root of their energy, shifted down again
//     noise       subtracts a slow mean of the channel
//     gain        larger where that mean is lower (PCAN: per-channel amplitude normalization)
//     logarithm   natural, times 64
enum {
    channels = cmicrofrontend_channels,
    step = cmicrofrontend_step,
    window_size = 480,
    window_bits = 12,
    weight_bits = 12,
    smoothing_bits = 10,
    share_bits = 14,
    gain_bits = 21,
    snr_bits = 12,
    shrunk_bits = 6,
    log_segment_bits = 7,
    log_scale_bits = 6,
    // The transform divides by 512 (9 bits); the square root of the weights restores 6 of them.
    correction_bits = 9 - weight_bits / 2,
};

static const double lowest_hz = 125, highest_hz = 7500, rate_hz = 16000;
static const double gain_strength = 0.95, gain_offset = 80;
// 0.025, 0.06 and 0.05 in 14 bits.
enum { even_smoothing = 409, odd_smoothing = 983, least_remaining = 819 };
// Bins within the band; the reference excludes the bin on its lower edge.
enum { first_bin = 5, end_bin = 240 };
static const double pi = 3.14159265358979323846;

// A curve between two powers of two: start + slope t + bend t^2.
typedef struct {
    int16_t start, slope, bend;
} arc;

struct cmicrofrontend {
    // Constant after `cmicrofrontend_create`.
    int16_t window[window_size];
    fft_plan plan;
    // A bin lies between the centres of two channels and is shared by them, in 4096ths; the nearer one gets more.
    uint8_t channel_of_bin[fft_bins];
    int16_t lower[fft_bins], upper[fft_bins];
    arc gains[33];
    // Difference between the base-2 logarithm and the straight line between two powers of two, in 65536ths.
    uint16_t log_excess[(1 << log_segment_bits) + 1];

    // Cleared by a reset.
    int16_t input[window_size];
    int filled;
    uint32_t noise[channels];
};

static int bit_width(uint32_t value) { return value ? 32 - __builtin_clz(value) : 0; }

// MARK: Tables

// The reference computes these tables in single precision, whose last bit depends on the mathematical library. Double
// precision does not; at these indexes it is one below the reference built with the GNU C library (x86-64).
static const uint8_t raised_bins[] = {149, 221};
enum { raised_window = 17 };

static double mel(double hz) { return 1127 * log1p(hz / 700); }

static void prepare_window(cmicrofrontend *frontend) {
    for (int index = 0; index < window_size; index++) {
        const double turn = 2 * pi * (index + 0.5) / window_size;
        frontend->window[index] = (int16_t)floor((0.5 - 0.5 * cos(turn)) * (1 << window_bits) + 0.5);
    }
    frontend->window[raised_window] += 1;
}

static void prepare_filters(cmicrofrontend *frontend) {
    const double bin_hz = rate_hz / fft_size;
    const double low = mel(lowest_hz), spacing = (mel(highest_hz) - low) / (channels + 1);
    for (int bin = first_bin; bin < end_bin; bin++) {
        const double place = (mel(bin * bin_hz) - low) / spacing;
        const double share = floor(place) + 1 - place;
        frontend->channel_of_bin[bin] = (uint8_t)place;
        frontend->lower[bin] = (int16_t)floor(share * (1 << weight_bits) + 0.5);
        frontend->upper[bin] = (int16_t)floor((1 - share) * (1 << weight_bits) + 0.5);
    }
    for (size_t index = 0; index < sizeof raised_bins; index++) {
        frontend->lower[raised_bins[index]] += 1;
        frontend->upper[raised_bins[index]] -= 1;
    }
}

static int16_t gain(uint32_t noise) {
    const double level = (double)noise / (1 << (smoothing_bits - correction_bits));
    return (int16_t)((1 << gain_bits) * pow(level + gain_offset, -gain_strength) + 0.5);
}

static void prepare_gains(cmicrofrontend *frontend) {
    frontend->gains[0].start = gain(0);
    frontend->gains[1].start = gain(1);
    for (int width = 2; width <= 32; width++) {
        const uint32_t from = 1u << (width - 1);
        const int16_t start = gain(from), middle = gain(from + from / 2);
        const int16_t end = gain(width == 32 ? UINT32_MAX : 2 * from);
        const int32_t half = middle - start, whole = end - start, slope = 4 * half - whole;
        frontend->gains[width] = (arc){start, (int16_t)slope, (int16_t)(whole - slope)};
    }
}

static void prepare_logarithm(cmicrofrontend *frontend) {
    for (int index = 0; index <= 1 << log_segment_bits; index++) {
        const double fraction = (double)index / (1 << log_segment_bits);
        frontend->log_excess[index] = (uint16_t)floor(65536 * (log2(1 + fraction) - fraction) + 0.5);
    }
}

cmicrofrontend *cmicrofrontend_create(void) {
    cmicrofrontend *frontend = calloc(1, sizeof *frontend);
    if (!frontend) return NULL;
    prepare_window(frontend);
    fft_prepare(&frontend->plan);
    prepare_filters(frontend);
    prepare_gains(frontend);
    prepare_logarithm(frontend);
    return frontend;
}

void cmicrofrontend_destroy(cmicrofrontend *frontend) { free(frontend); }

void cmicrofrontend_reset(cmicrofrontend *frontend) {
    memset(frontend->input, 0, sizeof frontend->input);
    frontend->filled = 0;
    memset(frontend->noise, 0, sizeof frontend->noise);
}

// MARK: Stages

// Square root, rounded to the nearest integer.
static uint32_t root(uint64_t value) {
    // A value of more than 53 bits may have been rounded up.
    uint64_t found = (uint64_t)sqrt((double)value);
    if (found >> 32 || found * found > value) found--;
    const uint64_t rest = value - found * found;
    // The reference does not round up to a value that needs one bit more than its word has.
    const uint64_t most = value >> 32 ? UINT32_MAX : UINT16_MAX;
    return (uint32_t)(rest > found && found != most ? found + 1 : found);
}

static uint32_t gain_at(const cmicrofrontend *frontend, uint32_t noise) {
    if (noise <= 2) return (uint32_t)frontend->gains[noise].start;
    const int width = bit_width(noise);
    const int32_t along = (int32_t)((width < 11 ? noise << (11 - width) : noise >> (width - 11)) & 0x3FF);
    const arc *arc = &frontend->gains[width];
    int32_t value = (arc->bend * along) >> 5;
    value = (value + arc->slope * 32) * along;
    return (uint32_t)(int16_t)(((value + (1 << 14)) >> 15) + arc->start);
}

// Small ratios grow with their square.
static uint32_t shrunk(uint32_t snr) {
    if (snr < 2u << snr_bits) return (snr * snr) >> (2 + 2 * snr_bits - shrunk_bits);
    return (snr >> (snr_bits - shrunk_bits)) - (1u << shrunk_bits);
}

static uint32_t without_noise(cmicrofrontend *frontend, int channel, uint32_t signal) {
    const uint32_t share = channel & 1 ? odd_smoothing : even_smoothing;
    const uint32_t scaled = signal << smoothing_bits;
    const uint32_t mean = (uint32_t)(
        ((uint64_t)scaled * share + (uint64_t)frontend->noise[channel] * ((1u << share_bits) - share)) >> share_bits);
    frontend->noise[channel] = mean;
    const uint32_t least = (uint32_t)(((uint64_t)signal * least_remaining) >> share_bits);
    const uint32_t rest = (scaled - (mean < scaled ? mean : scaled)) >> smoothing_bits;
    return rest > least ? rest : least;
}

static uint32_t logarithm(const cmicrofrontend *frontend, uint32_t value) {
    if (value <= 1) return 0;
    const int whole = bit_width(value) - 1;
    const uint32_t above = value - (1u << whole);
    const uint32_t fraction = whole < 16 ? above << (16 - whole) : above >> (whole - 16);
    const int segment_width = 16 - log_segment_bits;
    const uint32_t segment = fraction >> segment_width;
    const int32_t from = frontend->log_excess[segment], to = frontend->log_excess[segment + 1];
    // The reference scales the interpolation to a 128th of its proper size.
    const int32_t between = ((to - from) * (int32_t)(fraction - (segment << segment_width))) >> 16;
    const uint32_t base2 = ((uint32_t)whole << 16) + (uint32_t)((int32_t)fraction + from + between);
    // 45426 / 65536 is the natural logarithm of 2.
    const uint32_t natural = (uint32_t)(((uint64_t)45426 * base2 + (1 << 15)) >> 16);
    return ((natural << log_scale_bits) + (1 << 15)) >> 16;
}

static void measure(cmicrofrontend *frontend, uint16_t features[channels]) {
    int16_t samples[fft_size] = {0};
    int32_t loudest = 0;
    for (int index = 0; index < window_size; index++) {
        samples[index] = (int16_t)((frontend->input[index] * frontend->window[index]) >> window_bits);
        const int32_t size = abs(samples[index]);
        // -32768 alone is not a reason to shift down.
        if (size > loudest) loudest = size > INT16_MAX ? INT16_MAX : size;
    }
    const int shift = 15 - bit_width((uint32_t)loudest);
    for (int index = 0; index < window_size; index++) samples[index] = (int16_t)((uint32_t)samples[index] << shift);

    fft_complex bins[fft_bins];
    fft_run(&frontend->plan, samples, bins);

    uint64_t energy[channels + 2] = {0};
    for (int bin = first_bin; bin < end_bin; bin++) {
        const uint32_t power = (uint32_t)(bins[bin].re * bins[bin].re) + (uint32_t)(bins[bin].im * bins[bin].im);
        const int channel = frontend->channel_of_bin[bin];
        energy[channel] += (uint64_t)((int64_t)frontend->lower[bin] * power);
        energy[channel + 1] += (uint64_t)((int64_t)frontend->upper[bin] * power);
    }
    for (int channel = 0; channel < channels; channel++) {
        // The first sum belongs to the lower edge of the band, which is not a channel.
        const uint32_t signal = root(energy[channel + 1]) >> shift;
        const uint32_t clean = without_noise(frontend, channel, signal);
        const uint64_t raised = (uint64_t)clean * gain_at(frontend, frontend->noise[channel]);
        const uint32_t snr = (uint32_t)(raised >> (gain_bits - correction_bits - snr_bits));
        const uint32_t value = logarithm(frontend, shrunk(snr) << correction_bits);
        features[channel] = (uint16_t)(value < UINT16_MAX ? value : UINT16_MAX);
    }
}

bool cmicrofrontend_process(cmicrofrontend *frontend, const int16_t samples[step], uint16_t features[channels]) {
    memcpy(frontend->input + frontend->filled, samples, step * sizeof *samples);
    frontend->filled += step;
    if (frontend->filled < window_size) return false;
    measure(frontend, features);
    frontend->filled -= step;
    memmove(frontend->input, frontend->input + step, (size_t)frontend->filled * sizeof *frontend->input);
    return true;
}
