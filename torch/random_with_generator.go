package torch

import (
	"fmt"
	"runtime"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// ctxGenerator selects the bits of a Ctx that hold the number of a generator
// slot.
const ctxGenerator = abi.Ctx(1<<abi.CtxGeneratorBits-1) << abi.CtxGeneratorShift

// generatorSlots holds the numbers of the free slots of cgotorch/generators.cpp. Slot 0
// stands for no generator.
var generatorSlots = func() chan int {
	free := make(chan int, 1<<abi.CtxGeneratorBits-1)
	for slot := 1; slot <= cap(free); slot++ {
		free <- slot
	}
	return free
}()

// WithGenerator runs fn with g as the CPU's default generator of this goroutine.
// Everything that draws random numbers on the CPU without an explicit generator draws
// from g, including dropout, and [ManualSeed], [DefaultGenerator] and [RNGState] apply to
// g. Goroutines started in fn draw from the process's default generator, and other
// devices are not affected. Data loaders run each worker in WithGenerator; PyTorch uses
// one process for each instead.
//
// At most 31 goroutines may be inside WithGenerator at once; others wait. Calls may nest.
// It panics with ErrNil for a nil g or fn, and with ErrDevice for a generator that is not
// on the CPU.
func WithGenerator(g *Generator, fn func()) {
	const op = "WithGenerator"
	h := g.handle(op)
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	if d := DeviceOf(cgotorch.GeneratorDevice(h)); d != CPU {
		panic(argError(op, ErrDevice, "g", fmt.Sprintf("expected a CPU generator, got a generator of %v", d)))
	}
	st := enterState()
	outer := st.generator
	if outer == nil {
		st.takeSlot()
	}
	st.draw(g)
	defer func() {
		if outer == nil {
			st.leaveSlot()
		}
		st.draw(outer)
		st.leave()
		runtime.KeepAlive(g)
	}()
	fn()
}

// draw makes g the goroutine's own generator. A nil g removes the goroutine's generator
// and needs no slot.
func (st *goroutineState) draw(g *Generator) {
	st.generator = g
	if g != nil {
		cgotorch.SetGeneratorSlot(st.slot(), g.h)
		cgotorch.NoteDraw(st.slot()) // the slot has another generator now
	}
}

func (st *goroutineState) takeSlot() {
	slot := <-generatorSlots
	st.ctx |= abi.Ctx(slot) << abi.CtxGeneratorShift
}

func (st *goroutineState) leaveSlot() {
	slot := st.slot()
	cgotorch.SetGeneratorSlot(slot, 0)
	st.ctx &^= ctxGenerator
	generatorSlots <- slot
}

// slot returns the slot of the goroutine's own generator.
func (st *goroutineState) slot() int {
	return int(st.ctx & ctxGenerator >> abi.CtxGeneratorShift)
}

// ownGenerator returns the generator of the goroutine's innermost
// WithGenerator, or nil. It records that the generator was used, because the
// caller changes it or draws from it.
func ownGenerator() *Generator {
	st := states.Get()
	if st == nil || st.generator == nil {
		return nil
	}
	cgotorch.NoteDraw(st.slot())
	return st.generator
}
