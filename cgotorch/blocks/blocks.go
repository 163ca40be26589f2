// Package blocks has kernels of language models for the CPU: products with matrices whose
// weights are quantised in blocks, in the formats of GGUF files, and attention to keys and
// values in pages. Programs use transformers/quant and transformers/kvcache.
package blocks

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O3 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo CXXFLAGS: -DNDEBUG -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo nocallback gt_blocks_size
#cgo noescape gt_blocks_size
#include "blocks.h"
*/
import "C"

import "github.com/gotorch/gotorch/cgotorch/abi"

// Size returns the number of bytes of a block and the number of weights in it, or zeros for
// a format that the package lacks.
func Size(format int64) (bytes, weights int64) {
	s := C.gt_blocks_size(C.int64_t(format))
	return int64(s.bytes), int64(s.weights)
}

// Linear returns x times the transposed matrix, plus bias unless it is 0.
func Linear(cx abi.Ctx, x, blocks, bias abi.Tensor, format int64) abi.Ret {
	return ret(C.gt_blocks_linear(C.gt_ctx(cx), C.gt_tensor(x), C.gt_tensor(blocks), C.gt_tensor(bias),
		C.int64_t(format)))
}

// Rows returns rows of the matrix as float32.
func Rows(cx abi.Ctx, blocks, indices abi.Tensor, format int64) abi.Ret {
	return ret(C.gt_blocks_rows(C.gt_ctx(cx), C.gt_tensor(blocks), C.gt_tensor(indices), C.int64_t(format)))
}

// Dequantize returns the matrix as float32.
func Dequantize(cx abi.Ctx, blocks abi.Tensor, format int64) abi.Ret {
	return ret(C.gt_blocks_dequantize(C.gt_ctx(cx), C.gt_tensor(blocks), C.int64_t(format)))
}

// Attend returns the attention of tokens of several texts to keys and values in pages.
func Attend(cx abi.Ctx, query, keys, values, tables, lengths abi.Tensor, page int64, scale float64,
	window int64,
) abi.Ret {
	return ret(C.gt_blocks_attend(C.gt_ctx(cx), C.gt_tensor(query), C.gt_tensor(keys), C.gt_tensor(values),
		C.gt_tensor(tables), C.gt_tensor(lengths), C.int64_t(page), C.double(scale), C.int64_t(window)))
}

// LinearFloat returns x times the transposed weight, plus bias unless it is 0.
func LinearFloat(cx abi.Ctx, x, weight, bias abi.Tensor) abi.Ret {
	return ret(C.gt_blocks_linear_float(C.gt_ctx(cx), C.gt_tensor(x), C.gt_tensor(weight), C.gt_tensor(bias)))
}

func ret(r C.gt_ret) abi.Ret { return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)} }
