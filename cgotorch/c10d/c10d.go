// Package c10d wraps PyTorch's library for multi-process training: stores, process groups
// and collectives. It is a separate cgo package, so that changing it recompiles little
// code. Programs use torch/distributed.
package c10d

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo CXXFLAGS: -DUSE_DISTRIBUTED -DUSE_C10D_GLOO -I${SRCDIR}/.. -I${SRCDIR}
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo nocallback free
#include <stdlib.h>
#include "c10d.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Kind is the kind of an error. It is determined by the type of libtorch's exception.
type Kind int32

// The kinds of failure.
const (
	Other     Kind = C.GT_DIST_OTHER
	Timeout   Kind = C.GT_DIST_TIMEOUT
	Network   Kind = C.GT_DIST_NETWORK
	StoreGone Kind = C.GT_DIST_STORE
)

// Status is the result of a call: 0 or an error, which the caller must take, with its
// kind.
type Status struct {
	Err  abi.Status
	Kind Kind
}

func status(s C.gt_dist_status) Status { return Status{abi.Status(s.err), Kind(s.kind)} }

// text returns a C string and a function that frees it.
func text(s string) (*C.char, func()) {
	c := C.CString(s)
	return c, func() { C.free(unsafe.Pointer(c)) }
}

// data returns a pointer to b and its length. C may use the pointer only during the call.
func data(b []byte) (*C.char, C.int64_t) {
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(b))), C.int64_t(len(b))
}

// take copies bytes from C to Go and frees the C bytes.
func take(b C.gt_bytes) []byte {
	if b.data == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(b.data))
	return append([]byte{}, unsafe.Slice((*byte)(unsafe.Pointer(b.data)), int(b.n))...)
}

// list returns an array of C strings and a function that frees it.
func list(keys []string) ([]*C.char, func()) {
	all := make([]*C.char, len(keys)+1)
	for i, key := range keys {
		all[i] = C.CString(key)
	}
	return all, func() {
		for _, c := range all {
			C.free(unsafe.Pointer(c))
		}
	}
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
