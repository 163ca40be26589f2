package cgotorch

// #include "runtime.h"
import "C"

import (
	"sync/atomic"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

var nodeNumbers = (*uint64)(unsafe.Pointer(C.gt_node_numbers()))

// NodeNumbers returns how many sequence numbers threads have reserved for autograd nodes.
// This is at least the number of nodes created so far, and changes only when a node is
// created. Reading it costs one load.
func NodeNumbers() uint64 { return atomic.LoadUint64(nodeNumbers) }

// LiveNodes returns the number of live nodes of autograd graphs, not counting the nodes
// of leaves, and whether that number is known. It is known on Linux, up to libtorch 2.11.
func LiveNodes() (n int64, known bool) {
	n = int64(C.gt_live_nodes())
	return max(n, 0), n >= 0
}

// Version returns the version of libtorch that this program was built with.
func Version() string { return C.GoString(C.gt_version_string()) }

// NumThreads returns how many threads one operator may use when this thread calls it.
func NumThreads() int { return int(C.gt_num_threads()) }

// NumInteropThreads returns the size of libtorch's inter-op pool.
func NumInteropThreads() int { return int(C.gt_num_interop_threads()) }

// SetNumInteropThreads sets the size of the inter-op pool. It may be called once, before
// the pool's first use.
func SetNumInteropThreads(n int) abi.Status {
	return abi.Status(C.gt_set_num_interop_threads(C.int(n)))
}

// BuildInfo describes libtorch's build configuration and the machine.
func BuildInfo() string { return takeString(C.gt_build_info()) }

// SetDefaultDType sets the floating-point dtype that new tensors get by default, for the
// whole process.
func SetDefaultDType(dtype int8) abi.Status {
	return abi.Status(C.gt_set_default_dtype(C.int8_t(dtype)))
}

// ManualSeed seeds the default generator of every device.
func ManualSeed(seed uint64) abi.Status { return abi.Status(C.gt_manual_seed(C.uint64_t(seed))) }

// NewGenerator returns a new generator for a device.
func NewGenerator(device int32) (abi.Generator, abi.Status) {
	r := C.gt_generator_new(C.int32_t(device))
	return abi.Generator(r.t), abi.Status(r.err)
}

// DefaultGenerator returns a reference to a device's default generator.
func DefaultGenerator(device int32) (abi.Generator, abi.Status) {
	r := C.gt_generator_default(C.int32_t(device))
	return abi.Generator(r.t), abi.Status(r.err)
}

// SetGeneratorSlot puts g in a slot. Calls whose Ctx contains the slot use g instead of
// the CPU's default generator. g is borrowed. If g is zero, the slot becomes empty.
func SetGeneratorSlot(slot int, g abi.Generator) {
	C.gt_generator_slot(C.int(slot), C.gt_generator(g))
}

// generatorsDrawn has a bit for each slot whose generator an operator has requested.
var generatorsDrawn = (*uint32)(unsafe.Pointer(C.gt_generators_drawn()))

// GeneratorDrawn reports whether an operator has requested a slot's generator since the
// last call of ForgetDraws.
func GeneratorDrawn(slot int) bool { return atomic.LoadUint32(generatorsDrawn)&(1<<slot) != 0 }

// NoteDraw records that a slot's generator has changed.
func NoteDraw(slot int) { atomic.OrUint32(generatorsDrawn, 1<<slot) }

// ForgetDraws makes GeneratorDrawn return false for a slot until the next request.
func ForgetDraws(slot int) { atomic.AndUint32(generatorsDrawn, ^uint32(1<<slot)) }

// FreeGenerator drops one reference to g.
func FreeGenerator(g abi.Generator) { C.gt_generator_free(C.gt_generator(g)) }

// GeneratorDevice returns the device of g, as a number; see abi.h.
func GeneratorDevice(g abi.Generator) int32 { return int32(C.gt_generator_device(C.gt_generator(g))) }

// SeedGenerator seeds g.
func SeedGenerator(g abi.Generator, seed uint64) abi.Status {
	return abi.Status(C.gt_generator_seed(C.gt_generator(g), C.uint64_t(seed)))
}

// InitialSeed returns the seed that was last set for g.
func InitialSeed(g abi.Generator) uint64 {
	return uint64(C.gt_generator_initial_seed(C.gt_generator(g)))
}

// GeneratorState returns the state of g as a new byte tensor.
func GeneratorState(cx abi.Ctx, g abi.Generator) abi.Ret {
	return ret(C.gt_generator_state(C.gt_ctx(cx), C.gt_generator(g)))
}

// SetGeneratorState sets the state of g to a result of GeneratorState.
func SetGeneratorState(cx abi.Ctx, g abi.Generator, state abi.Tensor) abi.Status {
	return abi.Status(C.gt_generator_set_state(C.gt_ctx(cx), C.gt_generator(g), C.gt_tensor(state)))
}
