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

// Generator is a source of random numbers, torch.Generator in Python. It is an
// Option of the functions that draw numbers. Generators lock themselves, so
// several goroutines may draw from one; in which order they get their numbers
// is then open.
type Generator struct {
	h   abi.Generator
	dev Device
}

// NewGenerator returns a generator for a device, the default one for the zero
// Device, with PyTorch's default seed. The collector frees it. It panics with
// ErrDevice if there is no such device.
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

// DefaultGenerator returns the generator that a device's operators draw from
// when none is given; the zero Device is the default one. Inside [WithGenerator] that
// of the CPU is the one given there. It panics with ErrDevice if there is no such
// device.
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

// numbered is the device itself, with its number where it means the current CUDA device.
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

// String says what the generator was last seeded with, "Generator(seed 7)".
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

// Handle returns the native handle, borrowed, for callers of package cgotorch.
func (g *Generator) Handle() abi.Generator {
	if g == nil {
		return 0
	}
	return g.h
}

// Device returns the device that the generator is of. It panics with ErrNil for a nil
// Generator or a zero one. Follows torch.Generator.device.
func (g *Generator) Device() Device {
	g.handle("Generator.Device")
	return g.dev
}

// ManualSeed seeds the generator and returns it.
func (g *Generator) ManualSeed(seed uint64) *Generator {
	notCaptured("Generator.ManualSeed")
	if st := cgotorch.SeedGenerator(g.handle("Generator.ManualSeed"), seed); st != 0 {
		panic(statusError("Generator.ManualSeed()", st, nil))
	}
	runtime.KeepAlive(g)
	return g
}

// InitialSeed returns what the generator was last seeded with.
func (g *Generator) InitialSeed() uint64 {
	s := cgotorch.InitialSeed(g.handle("Generator.InitialSeed"))
	runtime.KeepAlive(g)
	return s
}

// State returns the generator's state, a new tensor of bytes, for SetState. It
// panics with ErrNil for a nil Generator or a zero one.
// Follows torch.Generator.get_state.
func (g *Generator) State() *Tensor {
	h := g.handle("Generator.State")
	r := BeginRaw("Generator.State()")
	t := r.Tensor(cgotorch.GeneratorState(r.Ctx, h))
	runtime.KeepAlive(g)
	return t
}

// SetState restores a state. It panics with ErrNil for a nil Generator or a
// zero one, with ErrDType, ErrShape or ErrRuntime for one that is no state of
// such a generator. Follows torch.Generator.set_state.
func (g *Generator) SetState(state *Tensor) {
	const op = "Generator.SetState(state)"
	notCaptured("Generator.SetState")
	gh, h := g.handle(op), state.handle(op, 0)
	checkState(g, state)
	r := BeginRaw(op, state)
	r.Status(cgotorch.SetGeneratorState(r.Ctx, gh, h))
	runtime.KeepAlive(g)
}

// checkState refuses a state of the CPU's generator that says that more numbers are left
// than there are behind the next one: libtorch would draw what is in memory there.
func checkState(g *Generator, state *Tensor) {
	const left, next, head, most = 8, 16, 24, 624 // places in the state; most are left after the first
	if !g.Device().IsCPU() || !state.Device().IsCPU() || state.DType() != Uint8 || state.Numel() < head {
		return // libtorch looks
	}
	b := state.Uint8s()
	if l, n := enc.LittleEndian.Uint32(b[left:]), enc.LittleEndian.Uint64(b[next:]); l <= most && n <= most && uint64(l)+n > most+1 {
		panic(NewError("Generator.SetState", ErrRuntime, "state", fmt.Sprintf("no state of a generator: %d numbers are left, of %d from number %d on", l-1, most, n)))
	}
}

// GetRNGState returns the state of the CPU's default generator, a new tensor of
// bytes. It panics with ErrOutOfMemory if there is not enough memory.
// Follows torch.get_rng_state.
func RNGState() *Tensor { return DefaultGenerator(CPU).State() }

// SetRNGState restores a state of the CPU's default generator, so that the same
// numbers are drawn again. It panics with ErrDType, ErrShape or ErrRuntime for
// one that is no state. Follows torch.set_rng_state.
func SetRNGState(state *Tensor) { DefaultGenerator(CPU).SetState(state) }

// InitialSeed returns what the CPU's default generator was last seeded with.
// Follows torch.initial_seed.
func InitialSeed() uint64 { return DefaultGenerator(CPU).InitialSeed() }
