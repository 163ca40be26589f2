package cuda

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func generator(op string, dev torch.Device) *torch.Generator {
	return torch.DefaultGenerator(torch.CUDA.At(require(op, dev)))
}

// ManualSeed seeds the default generator of the current device. Without CUDA it does
// nothing, as in Python. Follows torch.cuda.manual_seed.
func ManualSeed(seed uint64) {
	if IsAvailable() {
		generator("ManualSeed", torch.CUDA).ManualSeed(seed)
	}
}

// ManualSeedAll seeds the default generators of all devices. torch.ManualSeed does the
// same and also seeds the CPU's generator. Without CUDA it does nothing, as in Python.
// Follows torch.cuda.manual_seed_all.
func ManualSeedAll(seed uint64) {
	for i := range DeviceCount() {
		torch.DefaultGenerator(torch.CUDA.At(i)).ManualSeed(seed)
	}
}

// Seed seeds the default generator of the current device with a random number. Without
// CUDA it does nothing, as in Python. Follows torch.cuda.seed.
func Seed() {
	if IsAvailable() {
		generator("Seed", torch.CUDA).Seed()
	}
}

// SeedAll seeds the default generators of all devices with the same random number.
// Without CUDA it does nothing, as in Python. Follows torch.cuda.seed_all.
func SeedAll() {
	if IsAvailable() {
		ManualSeedAll(torch.DefaultGenerator(torch.CUDA.At(0)).Seed())
	}
}

// InitialSeed returns the last seed of the current device's default generator. It panics
// with ErrDevice without CUDA. Follows torch.cuda.initial_seed.
func InitialSeed() uint64 { return generator("InitialSeed", torch.CUDA).InitialSeed() }

// RNGState returns the state of a device's default generator. torch.CUDA stands for the
// current device. The result is a new CPU tensor of bytes, owned by the innermost scope
// or else by the garbage collector. It panics with ErrDevice for an unavailable device.
// Follows torch.cuda.get_rng_state.
func RNGState(dev torch.Device) *torch.Tensor { return generator("RNGState", dev).State() }

// RNGStateAll returns the states of the default generators of all devices; see
// [RNGState]. Follows torch.cuda.get_rng_state_all.
func RNGStateAll() []*torch.Tensor {
	var states []*torch.Tensor
	for _, d := range all("RNGStateAll") {
		states = append(states, torch.DefaultGenerator(d).State())
	}
	return states
}

// SetRNGState sets the state of a device's default generator. torch.CUDA stands for the
// current device. It panics with ErrDevice for an unavailable device, and as
// Generator.SetState does for an invalid state. Follows torch.cuda.set_rng_state.
func SetRNGState(state *torch.Tensor, dev torch.Device) {
	generator("SetRNGState", dev).SetState(state)
}

// SetRNGStateAll sets the states of the default generators of devices 0, 1 and so on,
// one for each element of states. It panics with ErrValue if there are more states than
// devices, and under the same conditions as SetRNGState. Follows torch.cuda.set_rng_state_all.
func SetRNGStateAll(states []*torch.Tensor) {
	const op = "SetRNGStateAll"
	devices := all(op)
	if len(states) > len(devices) {
		panic(torch.NewError("cuda."+op, torch.ErrValue, "states",
			fmt.Sprintf("expected at most one state for each of the %d devices, got %d", len(devices), len(states))))
	}
	for i, s := range states {
		torch.DefaultGenerator(devices[i]).SetState(s)
	}
}

func all(op string) []torch.Device {
	require(op, torch.CUDA)
	devices := make([]torch.Device, DeviceCount())
	for i := range devices {
		devices[i] = torch.CUDA.At(i)
	}
	return devices
}
