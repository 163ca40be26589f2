#include "decode.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// A progressive file may have any number of scans, and each scan takes
// as long as the whole image. libjpeg-turbo's own tests use this limit.
enum { MAX_SCANS = 500 };

struct gotorch_jpeg {
  struct jpeg_decompress_struct info;  // libjpeg's callbacks get this address
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf failed;
  int failure;
  int mode;
  int inks;      // whether the image is CMYK and must become gray or RGB
  char message[JMSG_LENGTH_MAX];
  JSAMPLE *row;  // one row of CMYK pixels
};

static gotorch_jpeg *decoder_of(j_common_ptr info) { return (gotorch_jpeg *)info; }

static void fail(gotorch_jpeg *d, int failure, const char *message) {
  d->failure = failure;
  snprintf(d->message, sizeof d->message, "%s", message);
  longjmp(d->failed, 1);
}

static void on_error(j_common_ptr info) {
  gotorch_jpeg *d = decoder_of(info);
  char message[JMSG_LENGTH_MAX];
  info->err->format_message(info, message);
  if (info->err->msg_code == JERR_NO_BACKING_STORE)
    snprintf(message, sizeof message, "decoding takes more memory than MaxPixels allows");
  fail(d, info->err->msg_code == JERR_OUT_OF_MEMORY ? GOTORCH_JPEG_MEMORY : GOTORCH_JPEG_DAMAGED, message);
}

// Ignores warnings. libjpeg can work around the damage that they report, and Pillow and torchvision let it.
static void on_message(j_common_ptr info) { (void)info; }

static void on_progress(j_common_ptr info) {
  if (((j_decompress_ptr)info)->input_scan_number > MAX_SCANS)
    fail(decoder_of(info), GOTORCH_JPEG_DAMAGED, "more than 500 scans");
}

// libjpeg's own source of bytes in memory would fill the rest of the image with gray.
static boolean on_end(j_decompress_ptr info) {
  fail(decoder_of((j_common_ptr)info), GOTORCH_JPEG_TRUNCATED, "the image ends too early");
  return FALSE;
}

gotorch_jpeg *gotorch_jpeg_open(const uint8_t *data, size_t n, int mode, int *failure) {
  gotorch_jpeg *d = calloc(1, sizeof *d);
  if (d == NULL) {
    *failure = GOTORCH_JPEG_MEMORY;
    return NULL;
  }
  d->mode = mode;
  d->info.err = jpeg_std_error(&d->errors);
  d->errors.error_exit = on_error;
  d->errors.output_message = on_message;
  if (setjmp(d->failed)) {
    *failure = d->failure;
    return d;
  }
  jpeg_create_decompress(&d->info);
  d->progress.progress_monitor = on_progress;
  d->info.progress = &d->progress;
  jpeg_mem_src(&d->info, data, n);
  d->info.src->fill_input_buffer = on_end;
  jpeg_read_header(&d->info, TRUE);
  int cmyk = d->info.jpeg_color_space == JCS_CMYK || d->info.jpeg_color_space == JCS_YCCK;
  if (cmyk) {
    d->info.out_color_space = JCS_CMYK;
    d->inks = mode != GOTORCH_JPEG_UNCHANGED;
  } else if (mode == GOTORCH_JPEG_GRAY) {
    d->info.out_color_space = JCS_GRAYSCALE;
  } else if (mode == GOTORCH_JPEG_RGB) {
    d->info.out_color_space = JCS_RGB;
  } else if (mode == GOTORCH_JPEG_RGBA) {
    d->info.out_color_space = JCS_EXT_RGBA;  // alpha is 255
  }
  jpeg_calc_output_dimensions(&d->info);
  *failure = GOTORCH_JPEG_OK;
  return d;
}

void gotorch_jpeg_size(const gotorch_jpeg *d, int64_t *width, int64_t *height, int *channels) {
  *width = d->info.output_width;
  *height = d->info.output_height;
  *channels = d->inks ? d->mode : d->info.out_color_components;
}

// Converts CMYK in the same way as Pillow and torchvision. In files, 255 means no ink.
static void from_inks(const JSAMPLE *row, JSAMPLE *out, int width, int channels) {
  for (int x = 0; x < width; x++, row += 4) {
    int rgb[3];
    int paper = row[3];
    for (int c = 0; c < 3; c++) {
      int v = paper * (255 - row[c]) + 128;
      v = paper - (((v >> 8) + v) >> 8);
      rgb[c] = v < 0 ? 0 : v;
    }
    if (channels == 1) {
      *out++ = (JSAMPLE)((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
      continue;
    }
    for (int c = 0; c < 3; c++) *out++ = (JSAMPLE)rgb[c];
    if (channels == 4) *out++ = 255;
  }
}

int gotorch_jpeg_read(gotorch_jpeg *d, uintptr_t pixels, int64_t memory) {
  if (setjmp(d->failed)) return d->failure;
  d->info.mem->max_memory_to_use = (long)memory;  // beyond it, the library needs a temporary file
  if (d->inks && d->row == NULL) {
    d->row = malloc((size_t)d->info.output_width * 4);
    if (d->row == NULL) fail(d, GOTORCH_JPEG_MEMORY, "no memory for a row");
  }
  jpeg_start_decompress(&d->info);
  int channels = d->inks ? d->mode : d->info.output_components;
  size_t stride = (size_t)d->info.output_width * (size_t)channels;
  while (d->info.output_scanline < d->info.output_height) {
    JSAMPLE *at = (JSAMPLE *)pixels + stride * d->info.output_scanline;
    if (d->inks) {
      jpeg_read_scanlines(&d->info, &d->row, 1);
      from_inks(d->row, at, (int)d->info.output_width, channels);
      continue;
    }
    // The number of rows that the library usually has ready after one step.
    enum { ROWS = 4 };
    JSAMPLE *rows[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = at + stride * (size_t)i;
    JDIMENSION left = d->info.output_height - d->info.output_scanline;
    jpeg_read_scanlines(&d->info, rows, left < ROWS ? left : ROWS);
  }
  jpeg_finish_decompress(&d->info);
  return GOTORCH_JPEG_OK;
}

const char *gotorch_jpeg_message(const gotorch_jpeg *d) { return d->message; }

void gotorch_jpeg_close(gotorch_jpeg *d) {
  if (d == NULL) return;
  jpeg_destroy_decompress(&d->info);
  free(d->row);
  free(d);
}
