// These functions decode JPEG for Go, with libjpeg-turbo.
//
// On an error, the library jumps (longjmp) back to the function that Go
// has called, and never over a Go frame. Only the decoder keeps memory
// between calls, from gotorch_jpeg_open to gotorch_jpeg_close.
#ifndef GOTORCH_TURBOJPEG_DECODE_H
#define GOTORCH_TURBOJPEG_DECODE_H

#include <stddef.h>
#include <stdint.h>

// The color format of the decoded image. decode.go uses the same numbers.
enum gotorch_jpeg_mode {
  GOTORCH_JPEG_UNCHANGED = 0,
  GOTORCH_JPEG_GRAY = 1,
  GOTORCH_JPEG_RGB = 3,
  GOTORCH_JPEG_RGBA = 4
};

// The kinds of failure.
enum gotorch_jpeg_failure {
  GOTORCH_JPEG_OK = 0,
  GOTORCH_JPEG_DAMAGED = 1,
  GOTORCH_JPEG_TRUNCATED = 2,
  GOTORCH_JPEG_MEMORY = 3
};

typedef struct gotorch_jpeg gotorch_jpeg;

// gotorch_jpeg_open returns a new decoder, which the caller owns and closes, or
// NULL if memory is short. If *failure is not GOTORCH_JPEG_OK, the decoder has only a
// message and must be closed. data must stay valid until the decoder is closed.
gotorch_jpeg *gotorch_jpeg_open(const uint8_t *data, size_t n, int mode, int *failure);

// gotorch_jpeg_size stores the size of the image, and its number of channels after decoding.
void gotorch_jpeg_size(const gotorch_jpeg *d, int64_t *width, int64_t *height, int *channels);

// gotorch_jpeg_read decodes the image to the address pixels, which must have room for height
// x width x channels bytes and stay valid during the call. The library may take at most memory
// bytes, which is positive. It returns a gotorch_jpeg_failure.
int gotorch_jpeg_read(gotorch_jpeg *d, uintptr_t pixels, int64_t memory);

// gotorch_jpeg_message returns the message of the last failure. The decoder owns it.
const char *gotorch_jpeg_message(const gotorch_jpeg *d);

// gotorch_jpeg_close frees the decoder.
void gotorch_jpeg_close(gotorch_jpeg *d);

#endif
