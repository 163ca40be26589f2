#ifndef GOTORCH_TURBOJPEG_ENCODE_H
#define GOTORCH_TURBOJPEG_ENCODE_H

#include <stddef.h>
#include <stdint.h>

// gotorch_jpeg_encode encodes height rows of width pixels as a JPEG. channels is the
// number of bytes per pixel, 1 or 3. On success it returns 0, and *out has *n bytes that
// the caller must free with gotorch_jpeg_free. Otherwise *out is NULL, and message, which
// has size bytes, says why. No pointer is kept.
int gotorch_jpeg_encode(const uint8_t *pixels, int height, int width, int channels, int quality,
                        unsigned char **out, unsigned long *n, char *message, size_t size);

void gotorch_jpeg_free(unsigned char *b);

#endif
