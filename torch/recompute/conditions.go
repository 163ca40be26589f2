package recompute

import (
	"slices"

	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// conditions are settings of the first run that the second run needs again.
type conditions struct {
	inherit func(fn func()) // the goroutine's generator, default device and dtype
	modes   modes.Modes     // autocast, CUDA's device and streams

	cpu     *torch.Tensor // the state of the CPU's generator; nil without PreserveRNGState
	devices []deviceState
}

type deviceState struct {
	device torch.Device
	state  *torch.Tensor
}

func remember(inputs []*torch.Tensor, preserve bool) *conditions {
	c := &conditions{inherit: own.Inherit(true), modes: modes.Current()}
	// Autocast caches casts of weights for one goroutine at a time. During the recomputation the
	// cache may belong to another goroutine.
	c.modes.NoCache = true
	if !preserve {
		return c
	}
	c.cpu = torch.Disown(torch.RNGState())
	for _, x := range inputs {
		d := x.Device()
		if d.IsCUDA() && !slices.ContainsFunc(c.devices, func(s deviceState) bool { return s.device == d }) {
			c.devices = append(c.devices, deviceState{d, torch.Disown(torch.DefaultGenerator(d).State())})
		}
	}
	return c
}

// restore runs fn with the settings of the first run.
func (c *conditions) restore(fn func()) {
	run := func() { modes.With(op, &c.modes, fn) }
	if c.cpu != nil {
		outer := run
		run = func() {
			g := torch.NewGenerator(torch.CPU)
			g.SetState(c.cpu)
			torch.WithGenerator(g, outer)
		}
	}
	c.inherit(func() { onDevices(c.devices, run) })
}

// onDevices runs fn with the devices' generators in the states of the first run, and
// restores their current states afterwards.
func onDevices(devices []deviceState, fn func()) {
	if len(devices) == 0 {
		fn()
		return
	}
	g := torch.DefaultGenerator(devices[0].device)
	now := g.State()
	defer now.Close()
	g.SetState(devices[0].state)
	defer func() { g.SetState(now) }()
	onDevices(devices[1:], fn)
}

func (c *conditions) close() {
	_ = c.cpu.Close()
	for _, s := range c.devices {
		_ = s.state.Close()
	}
}
