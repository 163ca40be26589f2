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

// Group is a process group, the caller's until Free.
type Group uintptr

// NewGloo connects to all other ranks of a group and returns it. interfaces is a list with
// commas, or "" for the address that the machine's name stands for; times are in
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

// AddNCCL has a group send what is on CUDA by NCCL. CUDA's library is open.
func (g Group) AddNCCL(s Store, timeout int64, name string) Status {
	n, free := text(name)
	defer free()
	return status(C.gt_group_add_nccl(C.gt_group(g), C.gt_store(s), C.int64_t(timeout), n))
}

// ConnectNCCL connects a device to those of the other ranks; it waits for them.
func (g Group) ConnectNCCL(device int) Status {
	return status(C.gt_group_connect_nccl(C.gt_group(g), C.int(device)))
}

// Detail says whether TORCH_DISTRIBUTED_DEBUG is DETAIL: then groups compare what their
// ranks call.
func Detail() bool { return C.gt_dist_detail() != 0 }

// LazyGloo says whether TORCH_GLOO_LAZY_INIT is set: then ranks connect when they first need
// each other.
func LazyGloo() bool { return C.gt_dist_lazy() != 0 }

// Ending is how many groups were closed and are not free yet: they wait for what is under way.
var Ending atomic.Int64

// Free waits for what is under way and gives back a group that nobody uses.
func (g Group) Free() { C.gt_group_free(C.gt_group(g)) }

// Abort closes the connections to the other ranks, which ends what is under way with
// errors, there too.
func (g Group) Abort() { C.gt_group_abort(C.gt_group(g)) }

// Gone sets the places of the ranks whose connections have ended. There is a place for each
// rank of the group.
func (g Group) Gone(gone []byte) {
	C.gt_group_gone(C.gt_group(g), (*C.uchar)(unsafe.SliceData(gone)))
}

// SetTimeout changes how long collectives may take.
func (g Group) SetTimeout(timeout int64) Status {
	return status(C.gt_group_set_timeout(C.gt_group(g), C.int64_t(timeout)))
}

// MonitoredBarrier waits for all ranks; the error of rank 0 names those that did not come,
// all of them or the first.
func (g Group) MonitoredBarrier(cx abi.Ctx, timeout int64, all bool) Status {
	return status(C.gt_group_monitored_barrier(C.gt_ctx(cx), C.gt_group(g), C.int64_t(timeout), flag(all)))
}

// Op is a collective.
type Op int32

// The collectives. What is said of their tensors is in c10d.h.
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

// Call is what a collective is called with. Ranks are those within the group.
type Call struct {
	Op        Op
	Reduce    int
	Root, Tag int
	Timeout   int64 // in milliseconds; -1 is the group's
	Outs, Ins []abi.Tensor
	OutCounts []int64 // of AllToAllSingle, none for equal parts
	InCounts  []int64
}

// Begin begins a collective, which keeps its tensors.
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

// Work is a collective that was begun, the caller's until Free.
type Work uintptr

// Wait waits until the work has ended, or Interrupt was called: then it returns false.
func (w Work) Wait() (bool, Status) {
	var ended C.int
	st := status(C.gt_work_wait(C.gt_work(w), &ended))
	return ended != 0, st
}

// Follow has the current stream wait for a work of NCCL's.
func Follow(cx abi.Ctx, w Work) Status { return status(C.gt_work_follow(C.gt_ctx(cx), C.gt_work(w))) }

// Interrupt ends all waiting for the work, from now on too.
func (w Work) Interrupt() { C.gt_work_interrupt(C.gt_work(w)) }

// Done says whether the work has ended.
func (w Work) Done() bool { return C.gt_work_done(C.gt_work(w)) != 0 }

// Source returns the rank that a RecvAny has received from.
func (w Work) Source() int { return int(C.gt_work_source(C.gt_work(w))) }

// Free gives back a work that nobody waits for. It goes on if it has not ended.
func (w Work) Free() { C.gt_work_free(C.gt_work(w)) }
