package torch

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// ctxGenerator are the bits of a Ctx that name a slot.
const ctxGenerator = abi.Ctx(1<<abi.CtxGeneratorBits-1) << abi.CtxGeneratorShift

// generatorSlots has a bit for each slot that a WithGenerator uses; the slots are those of
// cgotorch/generators.cpp. Slot 0 is none.
var generatorSlots atomic.Uint32

// WithGenerator runs fn with g as the CPU's default generator of this goroutine: what
// draws random numbers on the CPU and is given no generator draws from g, dropout and
// other operators that cannot be given one too, and [ManualSeed], [DefaultGenerator] and
// [GetRNGState] are about g. Goroutines started in fn draw from the process's default
// generator. Numbers for other devices are drawn as before. A loader runs each of its
// workers so; PyTorch has a process for each instead.
//
// It panics with ErrNil for a nil g or fn, with ErrDevice for a generator of another
// device, and with ErrRuntime if 31 goroutines are inside such a function already.
func WithGenerator(g *Generator, fn func()) {
	const op = "WithGenerator"
	h := g.handle(op)
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	if d := DeviceOf(cgotorch.GeneratorDevice(h)); d != CPU {
		panic(argError(op, ErrDevice, "g", fmt.Sprintf("expected a generator of the CPU, got one of %v", d)))
	}
	slot := takeSlot()
	if slot == 0 {
		panic(&Error{Op: op, Kind: ErrRuntime, Message: fmt.Sprintf("%d goroutines are inside such a function already", 1<<abi.CtxGeneratorBits-1)})
	}
	cgotorch.SetGeneratorSlot(slot, h)
	st := enterState()
	savedCtx, savedGenerator := st.ctx&ctxGenerator, st.generator
	st.ctx, st.generator = st.ctx&^ctxGenerator|abi.Ctx(slot)<<abi.CtxGeneratorShift, g
	defer func() {
		st.ctx, st.generator = st.ctx&^ctxGenerator|savedCtx, savedGenerator
		st.leave()
		cgotorch.SetGeneratorSlot(slot, 0)
		generatorSlots.And(^(uint32(1) << slot))
		runtime.KeepAlive(g)
	}()
	fn()
}

// takeSlot returns a free slot, 0 if there is none.
func takeSlot() int {
	for {
		used := generatorSlots.Load()
		slot := bits.TrailingZeros32(^(used | 1))
		if slot == 32 {
			return 0
		}
		if generatorSlots.CompareAndSwap(used, used|1<<slot) {
			return slot
		}
	}
}
