#include "encode.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

typedef struct {
  struct jpeg_compress_struct info;  // libjpeg's callbacks get this address
  struct jpeg_error_mgr errors;
  jmp_buf failed;
  char *message;
  size_t size;
} encoder;

static void on_error(j_common_ptr info) {
  encoder *e = (encoder *)info;
  char message[JMSG_LENGTH_MAX];
  info->err->format_message(info, message);
  snprintf(e->message, e->size, "%s", message);
  longjmp(e->failed, 1);
}

static void on_message(j_common_ptr info) { (void)info; }

int gotorch_jpeg_encode(const uint8_t *pixels, int height, int width, int channels, int quality,
                        unsigned char **out, unsigned long *n, char *message, size_t size) {
  encoder *e = calloc(1, sizeof *e);  // on the heap, because longjmp makes changed local variables undefined
  *out = NULL;
  *n = 0;
  if (e == NULL) {
    snprintf(message, size, "no memory for an encoder");
    return 1;
  }
  e->message = message;
  e->size = size;
  e->info.err = jpeg_std_error(&e->errors);
  e->errors.error_exit = on_error;
  e->errors.output_message = on_message;
  if (setjmp(e->failed)) {
    // If the file has outgrown its first buffer, that buffer is
    // freed, and only the destination manager knows the current one.
    if (*out != NULL) e->info.dest->term_destination(&e->info);
    jpeg_destroy_compress(&e->info);
    free(*out);
    *out = NULL;
    free(e);
    return 1;
  }
  jpeg_create_compress(&e->info);
  jpeg_mem_dest(&e->info, out, n);
  e->info.image_width = (JDIMENSION)width;
  e->info.image_height = (JDIMENSION)height;
  e->info.input_components = channels;
  e->info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&e->info);
  jpeg_set_quality(&e->info, quality, TRUE);
  jpeg_start_compress(&e->info, TRUE);
  while (e->info.next_scanline < e->info.image_height) {
    JSAMPROW row = (JSAMPROW)pixels + (size_t)e->info.next_scanline * (size_t)width * (size_t)channels;
    jpeg_write_scanlines(&e->info, &row, 1);
  }
  jpeg_finish_compress(&e->info);
  jpeg_destroy_compress(&e->info);
  free(e);
  return 0;
}

void gotorch_jpeg_free(unsigned char *b) { free(b); }
