package c10d

// #include <stdlib.h>
// #include "c10d.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Group is a process group. The caller must free it.
type Group uintptr

// NewGloo connects to all other ranks and returns their group. interfaces is a
// comma-separated list, or "" for the address of the machine's host name. Times are in
// milliseconds.
func NewGloo(s Store, rank, size int, timeout int64, interfaces, name string) (Group, Status) {
	var list *C.char
	if interfaces != "" {
		var free func()
		list, free = text(interfaces)
		defer free()
	}
	n, free := text(name)
	defer free()
	var g C.gt_group
	st := status(C.gt_group_gloo(C.gt_store(s), C.int(rank), C.int(size), C.int64_t(timeout), list, n, &g))
	return Group(g), st
}

// AddNCCL makes a Gloo group use NCCL for tensors on CUDA. libtorch_cuda must be open.
func (g Group) AddNCCL(s Store, timeout int64, name string) Status {
	n, free := text(name)
	defer free()
	return status(C.gt_group_add_nccl(C.gt_group(g), C.gt_store(s), C.int64_t(timeout), n))
}

// ConnectNCCL connects this rank's device to the devices of the other ranks, and waits
// for the other ranks.
func (g Group) ConnectNCCL(device int) Status {
	return status(C.gt_group_connect_nccl(C.gt_group(g), C.int(device)))
}

// Detail reports whether TORCH_DISTRIBUTED_DEBUG is DETAIL. If so, groups compare the
// calls of their ranks.
func Detail() bool { return C.gt_dist_detail() != 0 }

// LazyGloo reports whether TORCH_GLOO_LAZY_INIT is set. If so, ranks connect when they
// first communicate.
func LazyGloo() bool { return C.gt_dist_lazy() != 0 }

// Ending is the number of closed groups that are not freed yet, because they are waiting
// for running collectives.
var Ending atomic.Int64

// Free waits for running collectives and frees a group that is not in use.
func (g Group) Free() { C.gt_group_free(C.gt_group(g)) }

// Abort closes the connections to the other ranks. Running collectives fail on all ranks.
func (g Group) Abort() { C.gt_group_abort(C.gt_group(g)) }

// Gone sets gone[rank] for each rank whose connection has ended. gone has one element per
// rank of the group.
func (g Group) Gone(gone []byte) {
	C.gt_group_gone(C.gt_group(g), (*C.uchar)(unsafe.SliceData(gone)))
}

// SetTimeout sets how long a collective may take, in milliseconds.
func (g Group) SetTimeout(timeout int64) Status {
	return status(C.gt_group_set_timeout(C.gt_group(g), C.int64_t(timeout)))
}

// MonitoredBarrier waits for all ranks. If ranks are missing, the error of rank 0 names
// the first of them or, if all is set, all of them.
func (g Group) MonitoredBarrier(cx abi.Ctx, timeout int64, all bool) Status {
	return status(C.gt_group_monitored_barrier(C.gt_ctx(cx), C.gt_group(g), C.int64_t(timeout), flag(all)))
}

// Op is a collective.
type Op int32

// The kinds of collectives. c10d.h describes the tensors of each kind.
const (
	Broadcast           Op = C.GT_OP_BROADCAST
	AllReduce           Op = C.GT_OP_ALL_REDUCE
	AllReduceCoalesced  Op = C.GT_OP_ALL_REDUCE_COALESCED
	Reduce              Op = C.GT_OP_REDUCE
	AllGather           Op = C.GT_OP_ALL_GATHER
	AllGatherInto       Op = C.GT_OP_ALL_GATHER_INTO
	Gather              Op = C.GT_OP_GATHER
	Scatter             Op = C.GT_OP_SCATTER
	ReduceScatter       Op = C.GT_OP_REDUCE_SCATTER
	ReduceScatterTensor Op = C.GT_OP_REDUCE_SCATTER_TENSOR
	AllToAllSingle      Op = C.GT_OP_ALL_TO_ALL_SINGLE
	Send                Op = C.GT_OP_SEND
	Recv                Op = C.GT_OP_RECV
	RecvAny             Op = C.GT_OP_RECV_ANY
	Barrier             Op = C.GT_OP_BARRIER
)

// Call contains the arguments of a collective. Ranks are relative to the group.
type Call struct {
	Op        Op
	Reduce    int
	Root, Tag int
	Timeout   int64 // in milliseconds; -1 means the group's timeout
	Outs, Ins []abi.Tensor
	OutCounts []int64 // AllToAllSingle: number of rows for each rank; nil for equal parts
	InCounts  []int64
}

// Begin starts a collective. The Work keeps references to the tensors of c.
func Begin(cx abi.Ctx, g Group, c *Call) (Work, Status) {
	var pin runtime.Pinner
	defer pin.Unpin()
	raw := C.gt_dist_call{
		op: C.int32_t(c.Op), reduce: C.int32_t(c.Reduce), root: C.int32_t(c.Root), tag: C.int32_t(c.Tag),
		timeout: C.int64_t(c.Timeout),
		outs:    (*C.gt_tensor)(pinned(&pin, c.Outs)), n_outs: C.int64_t(len(c.Outs)),
		ins: (*C.gt_tensor)(pinned(&pin, c.Ins)), n_ins: C.int64_t(len(c.Ins)),
		out_counts: (*C.int64_t)(pinned(&pin, c.OutCounts)), in_counts: (*C.int64_t)(pinned(&pin, c.InCounts)),
		n_counts: C.int64_t(len(c.InCounts)),
	}
	var w C.gt_work
	st := status(C.gt_group_begin(C.gt_ctx(cx), C.gt_group(g), &raw, &w))
	return Work(w), st
}

func pinned[T any](pin *runtime.Pinner, s []T) unsafe.Pointer {
	if len(s) == 0 {
		return nil
	}
	pin.Pin(&s[0])
	return unsafe.Pointer(&s[0])
}

// Work is a collective that was started. The caller must free it.
type Work uintptr

// Wait waits until the work has ended, and returns true. After Interrupt it returns
// false.
func (w Work) Wait() (bool, Status) {
	var ended C.int
	st := status(C.gt_work_wait(C.gt_work(w), &ended))
	return ended != 0, st
}

// Follow makes the current CUDA stream wait for a collective of NCCL.
func Follow(cx abi.Ctx, w Work) Status { return status(C.gt_work_follow(C.gt_ctx(cx), C.gt_work(w))) }

// Interrupt makes Wait return immediately, both in calls that are waiting now and in
// later calls.
func (w Work) Interrupt() { C.gt_work_interrupt(C.gt_work(w)) }

// Done reports whether the work has ended.
func (w Work) Done() bool { return C.gt_work_done(C.gt_work(w)) != 0 }

// Source returns the rank from which a RecvAny received.
func (w Work) Source() int { return int(C.gt_work_source(C.gt_work(w))) }

// Free frees w. No call may be waiting for w. If the collective has not ended, it
// continues.
func (w Work) Free() { C.gt_work_free(C.gt_work(w)) }
