package torch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// noDevices holds invalid devices, converted from integers, and a device that no machine
// has. The keys are the names that error messages use.
var noDevices = map[string]torch.Device{
	"device cuda:127": torch.CUDA.At(127),
	"Device(2)":       torch.Device(2),
	"Device(3)":       torch.Device(3),
	"Device(-1)":      torch.Device(-1),
	"Device(-5)":      torch.Device(-5),
	"Device(4096)":    torch.Device(4096),
}

// An error about a device names the called function.
func TestDevicesThatAreNot(t *testing.T) {
	x := torch.Ones(torch.Shape{2})
	indices := torch.FromSlice([]int64{0, 1}, 1, 2)
	defer x.Close()
	defer indices.Close()
	s := torch.Shape{2}
	calls := []struct {
		op   string
		call func(d torch.Device)
	}{
		{"Empty", func(d torch.Device) { torch.Empty(s, d) }},
		{"Zeros", func(d torch.Device) { torch.Zeros(s, d) }},
		{"Ones", func(d torch.Device) { torch.Ones(s, d) }},
		{"Full", func(d torch.Device) { torch.Full(s, 1, d) }},
		{"Eye", func(d torch.Device) { torch.Eye(2, d) }},
		{"EyeNM", func(d torch.Device) { torch.EyeNM(2, 3, d) }},
		{"ScalarTensor", func(d torch.Device) { torch.ScalarTensor(1, d) }},
		{"Rand", func(d torch.Device) { torch.Rand(s, d) }},
		{"Randn", func(d torch.Device) { torch.Randn(s, d) }},
		{"RandInt", func(d torch.Device) { torch.RandInt(0, 2, s, d) }},
		{"RandPerm", func(d torch.Device) { torch.RandPerm(2, d) }},
		{"Normal", func(d torch.Device) { torch.Normal(0, 1, s, d) }},
		{"Arange", func(d torch.Device) { torch.Arange(2, d) }},
		{"Linspace", func(d torch.Device) { torch.Linspace(0, 1, 2, d) }},
		{"Logspace", func(d torch.Device) { torch.Logspace(0, 1, 2, d) }},
		{"HannWindow", func(d torch.Device) { torch.HannWindow(2, d) }},
		{"TrilIndices", func(d torch.Device) { torch.TrilIndices(2, 2, 0, d) }},
		{"TriuIndices", func(d torch.Device) { torch.TriuIndices(2, 2, 0, d) }},
		{"FromSliceWith", func(d torch.Device) { torch.FromSliceWith([]float32{1}, nil, d) }},
		{"NewTensor", func(d torch.Device) { torch.NewTensor(1, d) }},
		{"SparseCOOTensor", func(d torch.Device) { torch.SparseCOOTensor(indices, x, nil, d) }},
		{"EmptyLike", func(d torch.Device) { torch.EmptyLike(x, d) }},
		{"ZerosLike", func(d torch.Device) { torch.ZerosLike(x, d) }},
		{"OnesLike", func(d torch.Device) { torch.OnesLike(x, d) }},
		{"FullLike", func(d torch.Device) { torch.FullLike(x, 1, d) }},
		{"RandLike", func(d torch.Device) { torch.RandLike(x, d) }},
		{"RandnLike", func(d torch.Device) { torch.RandnLike(x, d) }},
		{"RandIntLike", func(d torch.Device) { torch.RandIntLike(x, 0, 2, d) }},
		{"NewEmpty", func(d torch.Device) { x.NewEmpty(s, d) }},
		{"NewZeros", func(d torch.Device) { x.NewZeros(s, d) }},
		{"NewOnes", func(d torch.Device) { x.NewOnes(s, d) }},
		{"NewFull", func(d torch.Device) { x.NewFull(s, 1, d) }},
		{"NewTensor", func(d torch.Device) { x.NewTensor(1, d) }},
		{"To", func(d torch.Device) { x.To(d) }},
		{"To", func(d torch.Device) { x.To(torch.Float64, d, torch.Copy(true)) }},
		{"AsTensor", func(d torch.Device) { torch.AsTensor(x, d) }},
		{"AsTensor", func(d torch.Device) { torch.AsTensor(1, d) }},
		{"ToDevice", func(d torch.Device) { x.ToDevice(d) }},
		{"SetDefaultDevice", func(d torch.Device) { torch.SetDefaultDevice(d) }},
		{"WithDevice", func(d torch.Device) { torch.WithDevice(d, func() { t.Error("ran") }) }},
		{"NewGenerator", func(d torch.Device) { torch.NewGenerator(d) }},
		{"DefaultGenerator", func(d torch.Device) { torch.DefaultGenerator(d) }},
	}
	live := torch.NumLiveTensors()
	for text, d := range noDevices {
		assert.ErrorIs(t, d.Check(), torch.ErrDevice, text)
		for _, c := range calls {
			err := torch.Try(func() { c.call(d) })
			var e *torch.Error
			require.ErrorAs(t, err, &e, "%s on %s", c.op, text)
			assert.ErrorIs(t, err, torch.ErrDevice, "%s on %s", c.op, text)
			assert.Equal(t, c.op, e.Op)
			assert.Contains(t, e.Message, text, c.op)
		}
	}
	assert.Equal(t, live, torch.NumLiveTensors())
	assert.Equal(t, torch.CPU, torch.DefaultDevice())
	if torch.CUDA.At(0).Check() != nil {
		for op, call := range map[string]func(){
			"Zeros":         func() { torch.Zeros(s, torch.PinMemory(true)) },
			"NewZeros":      func() { x.NewZeros(s, torch.PinMemory(true)) },
			"ZerosLike":     func() { torch.ZerosLike(x, torch.PinMemory(true)) },
			"FromSliceWith": func() { torch.FromSliceWith([]float32{1}, nil, torch.PinMemory(true)) },
			"PinMemory":     func() { x.PinMemory() },
			"CUDA":          func() { x.CUDA() },
		} {
			var e *torch.Error
			require.ErrorAs(t, torch.Try(call), &e, op)
			assert.ErrorIs(t, e, torch.ErrDevice, op)
			assert.Equal(t, op, e.Op)
		}
	}
}

func TestNoDeviceBecomesOneByItsNumber(t *testing.T) {
	assert.Equal(t, "Device(3)", torch.Device(3).String())
	assert.False(t, torch.Device(3).IsCPU())
	for _, d := range []torch.Device{0, torch.CPU, torch.Meta} {
		assert.NoError(t, d.Check(), d.String())
	}
	assert.Error(t, torch.Device(math.MaxInt32).Check())
	assert.Error(t, torch.Device(math.MinInt32).Check())
}
