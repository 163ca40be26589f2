package torch

import (
	enc "encoding/binary"
	"fmt"
	"runtime"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/named"
)

// Generator is a source of random numbers. It is an option of functions that
// draw random numbers. A Generator locks itself, so several goroutines may draw
// from it; the order in which they get their numbers is then undefined.
// Follows torch.Generator.
type Generator struct {
	h   abi.Generator
	dev Device
}

// NewGenerator returns a generator for a device with PyTorch's default seed;
// the zero Device is the default device. The garbage collector frees it. It
// panics with ErrDevice if the device does not exist. Follows torch.Generator.
func NewGenerator(dev Device) *Generator {
	dev = dev.orDefault()
	dev.need("NewGenerator()")
	dev = dev.numbered()
	h, st := cgotorch.NewGenerator(dev.code())
	if st != 0 {
		panic(statusError("NewGenerator()", st, nil))
	}
	return newGenerator(h, dev)
}

// DefaultGenerator returns the default generator of a device; the zero Device is the
// default device. Inside [WithGenerator], the CPU's default generator is the generator
// passed to it. DefaultGenerator panics with ErrDevice if the device does not exist.
// Follows torch.default_generator.
func DefaultGenerator(dev Device) *Generator {
	dev = dev.orDefault()
	dev.need("DefaultGenerator()")
	if g := ownGenerator(); g != nil && dev == CPU {
		return g
	}
	dev = dev.numbered()
	h, st := cgotorch.DefaultGenerator(dev.code())
	if st != 0 {
		panic(statusError("DefaultGenerator()", st, nil))
	}
	return newGenerator(h, dev)
}

// numbered returns d, or the current CUDA device with its index if d is CUDA
// without an index.
func (d Device) numbered() Device {
	if d.IsCUDA() && d.Index() < 0 {
		return CUDA.At(modes.CurrentDevice())
	}
	return d
}

func newGenerator(h abi.Generator, dev Device) *Generator {
	g := &Generator{h, dev}
	object := named.Made(named.Generators)
	runtime.AddCleanup(g, func(h abi.Generator) {
		cgotorch.FreeGenerator(h)
		object.Gone()
	}, h)
	return g
}

// String returns the generator with its seed, such as "Generator(seed 7)".
func (g *Generator) String() string {
	if g == nil || g.h == 0 {
		return "no generator"
	}
	return fmt.Sprintf("Generator(seed %d)", g.InitialSeed())
}

func (g *Generator) handle(op string) abi.Generator {
	if g == nil || g.h == 0 {
		panic(argError(op, ErrNil, "generator", "a nil or zero *Generator; make one with NewGenerator"))
	}
	return g.h
}

// Handle returns the native handle for package cgotorch. The caller must not
// free it.
func (g *Generator) Handle() abi.Generator {
	if g == nil {
		return 0
	}
	return g.h
}

// Device returns the generator's device. It panics with ErrNil for a nil or
// zero Generator. Follows torch.Generator.device.
func (g *Generator) Device() Device {
	g.handle("Generator.Device")
	return g.dev
}

// ManualSeed seeds the generator and returns it.
// Follows torch.Generator.manual_seed.
func (g *Generator) ManualSeed(seed uint64) *Generator {
	notCaptured("Generator.ManualSeed")
	if st := cgotorch.SeedGenerator(g.handle("Generator.ManualSeed"), seed); st != 0 {
		panic(statusError("Generator.ManualSeed()", st, nil))
	}
	runtime.KeepAlive(g)
	return g
}

// InitialSeed returns the last seed of the generator.
// Follows torch.Generator.initial_seed.
func (g *Generator) InitialSeed() uint64 {
	s := cgotorch.InitialSeed(g.handle("Generator.InitialSeed"))
	runtime.KeepAlive(g)
	return s
}

// State returns the generator's state as a tensor of bytes, for SetState. It
// panics with ErrNil for a nil or zero Generator.
// Follows torch.Generator.get_state.
func (g *Generator) State() *Tensor {
	h := g.handle("Generator.State")
	r := BeginRaw("Generator.State()")
	t := r.Tensor(cgotorch.GeneratorState(r.Ctx, h))
	runtime.KeepAlive(g)
	return t
}

// SetState restores a state. It panics with ErrNil for a nil or zero Generator,
// and with ErrDType, ErrShape or ErrRuntime if state is not a state of such a
// generator. Follows torch.Generator.set_state.
func (g *Generator) SetState(state *Tensor) {
	const op = "Generator.SetState(state)"
	notCaptured("Generator.SetState")
	gh, h := g.handle(op), state.handle(op, 0)
	checkState(g, state)
	r := BeginRaw(op, state)
	r.Status(cgotorch.SetGeneratorState(r.Ctx, gh, h))
	runtime.KeepAlive(g)
}

// checkState panics for a CPU generator's state that claims more remaining values than
// there are after its next position. With such a state, libtorch would read out of
// bounds.
func checkState(g *Generator, state *Tensor) {
	// left, next and head are the byte offsets of two fields and of their end. most is the
	// number of values in a state.
	const left, next, head, most = 8, 16, 24, 624
	if !g.Device().IsCPU() || !state.Device().IsCPU() || state.DType() != Uint8 || state.Numel() < head {
		return // libtorch reports these errors
	}
	b := state.Uint8s()
	if l, n := enc.LittleEndian.Uint32(b[left:]),
		enc.LittleEndian.Uint64(b[next:]); l <= most && n <= most && uint64(l)+n > most+1 {
		panic(NewError("Generator.SetState", ErrRuntime, "state",
			fmt.Sprintf("the state claims that %d of %d numbers remain, but that the next is number %d", l-1, most, n)))
	}
}

// RNGState returns the state of the CPU's default generator as a tensor of
// bytes. It panics with ErrOutOfMemory. Follows torch.get_rng_state.
func RNGState() *Tensor { return DefaultGenerator(CPU).State() }

// SetRNGState restores a state of the CPU's default generator, so that it draws
// the same numbers again. It panics with ErrDType, ErrShape or ErrRuntime if
// state is not such a state. Follows torch.set_rng_state.
func SetRNGState(state *Tensor) { DefaultGenerator(CPU).SetState(state) }

// InitialSeed returns the last seed of the CPU's default generator.
// Follows torch.initial_seed.
func InitialSeed() uint64 { return DefaultGenerator(CPU).InitialSeed() }
