// Package vision registers the operators of torchvision with libtorch's dispatcher, and
// calls them. Importing it is enough for scripts, exported programs and torch/ops to find
// them. Its kernels are for the CPU. Programs use package vision/ops.
package vision

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O3 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo CXXFLAGS: -DNDEBUG -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo nocallback gt_vision_register
#cgo noescape gt_vision_deform_conv2d
#include "vision.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// failed is the error of the registration. Later calls report the missing operator.
var failed = abi.Status(C.gt_vision_register())

// Registered returns 0 if the operators are registered, and otherwise the error.
func Registered() abi.Status { return failed }

// NMS calls torchvision::nms.
func NMS(cx abi.Ctx, dets, scores abi.Tensor, iouThreshold float64) abi.Ret {
	return ret(C.gt_vision_nms(C.gt_ctx(cx), C.gt_tensor(dets), C.gt_tensor(scores), C.double(iouThreshold)))
}

// RoIAlign calls torchvision::roi_align. size is the height and width of the result.
func RoIAlign(cx abi.Ctx, input, rois abi.Tensor, scale float64, size [2]int64, samplingRatio int64,
	aligned bool,
) abi.Ret {
	var flag C.int8_t
	if aligned {
		flag = 1
	}
	return ret(C.gt_vision_roi_align(C.gt_ctx(cx), C.gt_tensor(input), C.gt_tensor(rois), C.double(scale),
		C.int64_t(size[0]), C.int64_t(size[1]), C.int64_t(samplingRatio), flag))
}

// RoIPool calls torchvision::roi_pool and returns its first result.
func RoIPool(cx abi.Ctx, input, rois abi.Tensor, scale float64, size [2]int64) abi.Ret {
	return ret(C.gt_vision_roi_pool(C.gt_ctx(cx), C.gt_tensor(input), C.gt_tensor(rois), C.double(scale),
		C.int64_t(size[0]), C.int64_t(size[1])))
}

// PSRoIAlign calls torchvision::ps_roi_align and returns its first result.
func PSRoIAlign(cx abi.Ctx, input, rois abi.Tensor, scale float64, size [2]int64, samplingRatio int64) abi.Ret {
	return ret(C.gt_vision_ps_roi_align(C.gt_ctx(cx), C.gt_tensor(input), C.gt_tensor(rois), C.double(scale),
		C.int64_t(size[0]), C.int64_t(size[1]), C.int64_t(samplingRatio)))
}

// PSRoIPool calls torchvision::ps_roi_pool and returns its first result.
func PSRoIPool(cx abi.Ctx, input, rois abi.Tensor, scale float64, size [2]int64) abi.Ret {
	return ret(C.gt_vision_ps_roi_pool(C.gt_ctx(cx), C.gt_tensor(input), C.gt_tensor(rois), C.double(scale),
		C.int64_t(size[0]), C.int64_t(size[1])))
}

// Convolution contains the numbers of a deformable convolution.
type Convolution struct {
	Stride, Padding, Dilation  [2]int64
	WeightGroups, OffsetGroups int64
}

// DeformConv2d calls torchvision::deform_conv2d. mask and bias may be 0.
func DeformConv2d(cx abi.Ctx, input, weight, offset, mask, bias abi.Tensor, c *Convolution) abi.Ret {
	return ret(C.gt_vision_deform_conv2d(C.gt_ctx(cx), C.gt_tensor(input), C.gt_tensor(weight), C.gt_tensor(offset),
		C.gt_tensor(mask), C.gt_tensor(bias), (*C.int64_t)(unsafe.Pointer(c))))
}

func ret(r C.gt_ret) abi.Ret { return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)} }
