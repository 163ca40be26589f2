package checkpoint

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// rngStates returns the states of the default generators, the CPU's first. The states of devices
// are included only once CUDA is in use, because reading them would initialize CUDA.
func rngStates() []*torch.Tensor {
	states := []*torch.Tensor{torch.RNGState()}
	if native.Loaded() {
		states = append(states, cuda.RNGStateAll()...)
	}
	return states
}

// rng holds the states of the random generators in a file.
type rng struct {
	cpu     *torch.Tensor
	devices []*torch.Tensor
	left    []string // the names of the states whose devices are unavailable
}

func readRNG(cpu, devices any) (*rng, error) {
	r := new(rng)
	var ok bool
	if r.cpu, ok = cpu.(*torch.Tensor); !ok {
		return nil, formError("the state of a generator", cpu)
	}
	if devices == nil {
		return r, nil
	}
	items, ok := list(devices)
	if !ok {
		return nil, formError("the states of generators", devices)
	}
	count := 0
	if len(items) > 0 {
		count = cuda.DeviceCount()
	}
	for i, item := range items {
		t, ok := item.(*torch.Tensor)
		switch {
		case !ok:
			return nil, formError("the state of a generator", item)
		case i >= count:
			r.left = append(r.left, fmt.Sprintf("%s[%d]", keyCUDARNG, i))
		default:
			r.devices = append(r.devices, t)
		}
	}
	return r, nil
}

// check returns an error if a state is not valid. It tries the states on temporary
// generators.
func (r *rng) check() error {
	return torch.Try(func() {
		torch.NewGenerator(torch.CPU).SetState(r.cpu)
		for i, t := range r.devices {
			torch.NewGenerator(torch.CUDA.At(i)).SetState(t)
		}
	})
}

// set sets the default generators. Call check first.
func (r *rng) set() error {
	return torch.Try(func() {
		torch.SetRNGState(r.cpu)
		if len(r.devices) > 0 {
			cuda.SetRNGStateAll(r.devices)
		}
	})
}
