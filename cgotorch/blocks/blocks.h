// Multiplies by matrices whose weights are quantised in blocks, in the formats of GGUF
// files. See ../abi.h for the rules.
#ifndef GOTORCH_BLOCKS_H
#define GOTORCH_BLOCKS_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// The number of bytes of a block and the number of weights in it. Both are 0 for a format
// that this package lacks. The numbers of the formats are those of GGUF.
typedef struct {
  int64_t bytes, weights;
} gt_blocks_format;
gt_blocks_format gt_blocks_size(int64_t format);

// Returns x (*, in) times the transposed matrix (out, in), plus bias unless it is 0. blocks
// is a uint8 tensor of shape (out, bytes of a row). The result has x's dtype.
gt_ret gt_blocks_linear(gt_ctx cx, gt_tensor x, gt_tensor blocks, gt_tensor bias, int64_t format);

// Returns the rows of the matrix with the given indices as float32: (*, in).
gt_ret gt_blocks_rows(gt_ctx cx, gt_tensor blocks, gt_tensor indices, int64_t format);

// Returns the matrix as float32: (out, in).
gt_ret gt_blocks_dequantize(gt_ctx cx, gt_tensor blocks, int64_t format);

// Returns the attention of n tokens, of several texts, to keys and values in pages:
// (n, H, D). query is (n, H, D); keys and values are (slots, heads, D), with `page` slots in
// a page. Token i sees the first lengths[i] positions of its text, or the last `window` of
// them if that is not 0. tables (n, *) has the pages of its text in order.
gt_ret gt_blocks_attend(gt_ctx cx, gt_tensor query, gt_tensor keys, gt_tensor values, gt_tensor tables,
                        gt_tensor lengths, int64_t page, double scale, int64_t window);

// Returns x (*, in) times the transposed matrix weight (out, in), plus bias unless it is 0.
// The last bits may differ from those of linear. For few rows it reads the matrix faster.
gt_ret gt_blocks_linear_float(gt_ctx cx, gt_tensor x, gt_tensor weight, gt_tensor bias);

#ifdef __cplusplus
}
#endif
#endif
