package torch

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/cuda"
)

// defaultSeed is the initial seed of libtorch's generators.
const defaultSeed = 67280421310721

// earlySeed is the seed of a ManualSeed call before CUDA was loaded; CUDA
// generators then start with it, as in Python. It is nil if there was no call.
var earlySeed atomic.Pointer[uint64]

// ManualSeed seeds the random generator of every device, including CUDA devices
// that are loaded later. The same seed gives the same numbers as in Python.
// Inside [WithGenerator] it seeds only that generator.
// Follows torch.manual_seed.
func ManualSeed(seed uint64) {
	notCaptured("ManualSeed")
	if g := ownGenerator(); g != nil {
		g.ManualSeed(seed)
		return
	}
	if !cuda.Loaded() {
		earlySeed.Store(&seed)
	}
	if st := cgotorch.ManualSeed(seed); st != 0 {
		panic(statusError("ManualSeed()", st, nil))
	}
}

// seedDevices seeds the generators of CUDA devices that have just been found.
func seedDevices(devices int) {
	if seed := earlySeed.Load(); seed != nil {
		for i := range devices {
			if h, st := cgotorch.DefaultGenerator(deviceOf(abi.DeviceCUDA, i).code()); st == 0 {
				cgotorch.SeedGenerator(h, *seed)
				cgotorch.FreeGenerator(h)
			}
		}
	}
}

// ForkRNG runs fn and then restores the default generators of the CPU and the
// given devices, by default all CUDA devices, even if fn panics. ForkRNG(fn,
// torch.CPU) restores only the CPU's generator. It panics with ErrDevice for a
// device that does not exist, and with ErrNil for a nil fn.
// Follows torch.random.fork_rng.
func ForkRNG(fn func(), devices ...Device) {
	const op = "ForkRNG"
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	var generators []*Generator
	fork := func(d Device) {
		generators = append(generators, DefaultGenerator(d))
	}
	fork(CPU)
	for _, d := range devices {
		d = d.orDefault()
		if e := d.check(op); e != nil {
			panic(e)
		}
		if !d.IsCPU() {
			fork(d)
		}
	}
	if len(devices) == 0 {
		for i := range cuda.DeviceCount() {
			fork(CUDA.At(i))
		}
		if !cuda.Loaded() {
			defer unseed(earlySeed.Load())
		}
	}
	for _, g := range generators {
		state := g.State()
		defer func() {
			g.SetState(state)
			state.Close()
		}()
	}
	fn()
}

// unseed restores the initial seed of CUDA generators, and their state if CUDA
// was loaded in the meantime.
func unseed(seed *uint64) {
	earlySeed.Store(seed)
	start := uint64(defaultSeed)
	if seed != nil {
		start = *seed
	}
	for i := range cuda.DeviceCount() {
		DefaultGenerator(CUDA.At(i)).ManualSeed(start)
	}
}
