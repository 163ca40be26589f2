package nn_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// withGradients returns a module with all kinds of tensors: parameters with gradients, one shared
// by two layers, and floating-point and integer buffers.
func withGradients() (m *nn.Sequential, state func() []*torch.Tensor) {
	torch.ManualSeed(3)
	tied, other := nn.NewLinear(4, 4), nn.NewLinear(4, 4)
	m = nn.NewSequential(nn.NewConv2d(1, 2, []int64{2}), nn.NewBatchNorm2d(2), nn.NewFlatten(), nn.NewLinear(8, 4),
		tied, other)
	other.Weight = tied.Weight
	m.Forward(torch.Rand(torch.Shape{3, 1, 3, 3})).Sum().Backward()
	return m, func() (all []*torch.Tensor) {
		for _, n := range m.StateDict() {
			all = append(all, n.Tensor, n.Tensor.Grad())
		}
		return all
	}
}

// If a conversion runs out of memory, each parameter has the same dtype as its
// gradient, and the error says how many tensors were converted. A second call converts
// the others.
func TestConversionsOutOfMemory(t *testing.T) {
	for name, convert := range map[string]func(m *nn.Sequential){
		"Double": func(m *nn.Sequential) { m.Double() },
		"Half":   func(m *nn.Sequential) { m.Half() },
		"To":     func(m *nn.Sequential) { m.To(torch.ChannelsLast, torch.BFloat16) },
		"Type":   func(m *nn.Sequential) { m.Type(torch.Float64) },
	} {
		t.Run(name, func(t *testing.T) {
			var m *nn.Sequential
			faults := failing.Sweep(func() failing.Case {
				var state func() []*torch.Tensor
				m, state = withGradients()
				return failing.Case{Close: []io.Closer{m}, State: state, Call: func() error {
					err := torch.Try(func() { convert(m) })
					if err != nil && m.Parameters()[0].Grad().DType() == torch.Float32 {
						assert.NotContains(t, err.Error(), "before")
					} else if err != nil {
						assert.Regexp(t,
							`\d+ of \d+ parameters and buffers are already converted: call `+name+
								` again for the others`, err)
					}
					for _, p := range m.Parameters() {
						assert.Equal(t, p.DType(), p.Grad().DType())
					}
					return err
				}}
			})
			assert.Positive(t, faults.Failed)
			assert.Empty(t, faults.Retried)
			assert.Empty(t, faults.Other)
		})
	}
}

// If memory runs out, LoadStateDict, SetRequiresGrad and ZeroGrad change nothing.
func TestChangesOutOfMemory(t *testing.T) {
	source := func(d torch.DType) nn.StateDict {
		m, _ := withGradients()
		defer m.Close()
		sd := m.StateDict()
		for i, n := range sd {
			if n.Tensor = n.Tensor.Detach().Clone(); n.Tensor.IsFloatingPoint() {
				n.Tensor = n.Tensor.AddScalar(1).To(d)
			}
			sd[i] = n
		}
		return sd
	}
	for name, change := range map[string]func(m *nn.Sequential) func() error{
		"LoadStateDict": func(m *nn.Sequential) func() error {
			sd := source(torch.Float32)
			return func() error { return m.LoadStateDict(sd) }
		},
		"LoadStateDict of another dtype": func(m *nn.Sequential) func() error {
			sd := source(torch.Float64)
			return func() error { return m.LoadStateDict(sd, nn.Strict(false)) }
		},
		"LoadStateDict of itself, shifted": func(m *nn.Sequential) func() error {
			sd := m.StateDict()
			flat := sd[3].Tensor.Detach()
			sd[3].Tensor = flat.Flip(0)
			return func() error { return m.LoadStateDict(sd) }
		},
		"LoadStateDict that takes": func(m *nn.Sequential) func() error {
			sd := source(torch.Float32)
			return func() error { return m.LoadStateDict(sd, nn.Assign(true)) }
		},
		"SetRequiresGrad": func(m *nn.Sequential) func() error {
			return failing.Do(func() { m.SetRequiresGrad(false) })
		},
		"ZeroGrad": func(m *nn.Sequential) func() error { return failing.Do(m.ZeroGrad) },
		"zeros": func(m *nn.Sequential) func() error {
			o := optim.NewSGD(m.Parameters()) // without momentum, SGD has no state
			return failing.Do(func() { o.ZeroGrad(optim.SetToNone(false)) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			faults := failing.Sweep(func() failing.Case {
				m, state := withGradients()
				return failing.Case{Close: []io.Closer{m}, State: state, Call: change(m)}
			})
			assert.Equal(t, failing.Faults{Failed: faults.Failed}, faults)
		})
	}
}

// After ToEmpty, two names of one tensor still share one tensor, even if the first call
// ran out of memory.
func TestToEmptyOutOfMemory(t *testing.T) {
	var m *nn.Sequential
	faults := failing.Sweep(func() failing.Case {
		m, _ = withGradients()
		m.ToEmpty(torch.Meta)
		return failing.Case{
			Close: []io.Closer{m},
			Call: failing.Do(func() {
				m.ToEmpty(torch.CPU)
				for _, p := range m.Parameters() {
					torch.NoGrad(func() { p.Zero_() })
				}
			}),
			State: func() (all []*torch.Tensor) {
				tied := m.At(4).(*nn.Linear).Weight == m.At(5).(*nn.Linear).Weight
				return []*torch.Tensor{torch.FromSlice([]bool{tied})}
			},
		}
	})
	assert.Positive(t, faults.Failed)
	assert.Equal(t, failing.Faults{Failed: faults.Failed}, faults)
}

// If memory runs out while loading a file, the error says how many tensors were loaded. The file
// can be loaded again.
func TestLoadOfAFileOutOfMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	torch.Scope(func() {
		m, _ := withGradients()
		defer m.Close()
		given := map[string]*torch.Tensor{}
		for _, n := range m.StateDict() {
			given[n.Name] = n.Tensor.Detach().Add(torch.Ones(torch.Shape{}, n.Tensor.DType())).To(torch.Float64)
		}
		require.NoError(t, safetensors.SaveFile(given, path))
	})
	faults := failing.Sweep(func() failing.Case {
		m, state := withGradients()
		return failing.Case{Close: []io.Closer{m}, State: state, Call: func() error {
			f, err := safetensors.Open(path)
			require.NoError(t, err)
			defer func() { require.NoError(t, f.Close()) }()
			err = m.LoadStateDict(f)
			// The error has no count of loaded tensors if Zeros failed, which runs
			// before any tensor is loaded.
			if err != nil && !strings.Contains(err.Error(), "Zeros") {
				assert.Regexp(t, `after \d+ of \d+ tensors were loaded`, err)
			}
			return err
		}}
	})
	assert.Positive(t, faults.Failed)
	assert.Empty(t, faults.Retried)
	assert.Empty(t, faults.Other)
}
