#include <opus/opus.h>

/* The library's control functions are variadic, which Swift cannot call. */

static inline int copus_encoder_set(OpusEncoder *encoder, int request, opus_int32 value) {
    return opus_encoder_ctl(encoder, request, value);
}

static inline int copus_encoder_reset(OpusEncoder *encoder) { return opus_encoder_ctl(encoder, OPUS_RESET_STATE); }

static inline int copus_decoder_reset(OpusDecoder *decoder) { return opus_decoder_ctl(decoder, OPUS_RESET_STATE); }
