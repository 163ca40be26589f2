package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// makers holds functions that create tensors from sizes, numbers or Go data, with the dtype of
// their result if the default is Float32.
var makers = map[string]struct {
	make  func(d torch.Device, e torch.DType) *torch.Tensor // a zero d or e means not given
	dtype torch.DType
}{
	"Empty": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Empty(torch.Shape{2}, d, e)
	}, torch.Float32},
	"Zeros": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Zeros(torch.Shape{2}, d, e)
	}, torch.Float32},
	"Ones": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Ones(torch.Shape{2}, d, e)
	}, torch.Float32},
	"Rand": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Rand(torch.Shape{2}, d, e)
	}, torch.Float32},
	"Randn": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Randn(torch.Shape{2}, d, e)
	}, torch.Float32},
	"Normal": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Normal(0, 1, torch.Shape{2}, d, e)
	}, torch.Float32},
	"Eye": {func(d torch.Device, e torch.DType) *torch.Tensor { return torch.Eye(2, d, e) }, torch.Float32},
	"Linspace": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Linspace(0, 1, 3, d, e)
	}, torch.Float32},
	"Logspace": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Logspace(0, 1, 3, d, e)
	}, torch.Float32},
	"ScalarTensor": {
		func(d torch.Device, e torch.DType) *torch.Tensor { return torch.ScalarTensor(1, d, e) },
		torch.Float32,
	},
	"Full float": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Full(torch.Shape{2}, 1.5, d, e)
	}, torch.Float32},
	"Full complex": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Full(torch.Shape{2}, 1i, d, e)
	}, torch.Complex64},
	"Full int": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Full(torch.Shape{2}, 1, d, e)
	}, torch.Int64},
	"Full bool": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Full(torch.Shape{2}, true, d, e)
	}, torch.Bool},
	"Arange float": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.Arange(0, 1, 0.5, d, e)
	}, torch.Float32},
	"Arange int": {
		func(d torch.Device, e torch.DType) *torch.Tensor { return torch.Arange(0, 3, 1, d, e) },
		torch.Int64,
	},
	"RandInt": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.RandInt(0, 3, torch.Shape{2}, d, e)
	}, torch.Int64},
	"FromSlice": {func(d torch.Device, e torch.DType) *torch.Tensor {
		return torch.FromSliceWith([]float32{1, 2}, nil, d, e)
	}, torch.Float32},
}

// wide returns the dtype of a maker's result if the default is Float64. d is the dtype if
// the default is Float32.
func wide(name string, d torch.DType) torch.DType {
	switch {
	case name == "FromSlice":
		return d // uses the type of the elements
	case d == torch.Float32:
		return torch.Float64
	case d == torch.Complex64:
		return torch.Complex128
	}
	return d
}

// checkMade creates a tensor and checks its device and dtype.
func checkMade(t *testing.T, name string, dev torch.Device, dtype torch.DType, given ...torch.CreateOption) {
	t.Helper()
	torch.Scope(func() {
		var d torch.Device
		var e torch.DType
		for _, o := range given {
			switch o := o.(type) {
			case torch.Device:
				d = o
			case torch.DType:
				e = o
			}
		}
		x := makers[name].make(d, e)
		assert.Equal(t, dev, x.Device(), name)
		assert.Equal(t, dtype, x.DType(), name)
	})
}

func TestScopedDefaults(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, m := range makers {
		checkMade(t, name, torch.CPU, m.dtype)
		torch.WithDevice(torch.Meta, func() {
			checkMade(t, name, torch.Meta, m.dtype)
			checkMade(t, name, torch.CPU, m.dtype, torch.CPU)
			checkMade(t, name, torch.Meta, m.dtype, torch.Device(0), torch.DType(0))
			torch.WithDType(torch.Float64, func() {
				checkMade(t, name, torch.Meta, wide(name, m.dtype))
				checkMade(t, name, torch.Meta, torch.Float16, torch.Float16)
			})
		})
		torch.WithDType(torch.Float64, func() { checkMade(t, name, torch.CPU, wide(name, m.dtype)) })
		checkMade(t, name, torch.CPU, m.dtype)
	}
}

func TestDefaultsOfTheProcess(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer torch.SetDefaultDevice(0)
	defer torch.SetDefaultDType(0)
	torch.SetDefaultDevice(torch.Meta)
	torch.SetDefaultDType(torch.Float64)
	assert.Equal(t, torch.Meta, torch.DefaultDevice())
	assert.Equal(t, torch.Float64, torch.DefaultDType())
	for name, m := range makers {
		checkMade(t, name, torch.Meta, wide(name, m.dtype))
		torch.WithDevice(torch.CPU, func() { checkMade(t, name, torch.CPU, wide(name, m.dtype)) })
		torch.WithDType(torch.Float32, func() { checkMade(t, name, torch.Meta, m.dtype) })
	}
	torch.Scope(func() {
		a := torch.FromSliceWith([]int64{1, 2}, nil, torch.CPU)
		assert.Equal(t, torch.Float64, a.Div(a).DType(), "operators follow the process's default")
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		assert.Equal(t, torch.Meta, torch.DefaultDevice(), "applies to all goroutines")
		assert.Equal(t, torch.Float64, torch.DefaultDType(), "applies to all goroutines")
	}()
	<-done
	torch.SetDefaultDevice(0)
	torch.SetDefaultDType(0)
	assert.Equal(t, torch.CPU, torch.DefaultDevice())
	assert.Equal(t, torch.Float32, torch.DefaultDType())
}

func TestScopedDefaultsAreTheGoroutines(t *testing.T) {
	torch.WithDevice(torch.Meta, func() {
		torch.WithDType(torch.Float64, func() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				assert.Equal(t, torch.CPU, torch.DefaultDevice())
				assert.Equal(t, torch.Float32, torch.DefaultDType())
			}()
			<-done
			torch.WithDevice(0, func() {
				torch.WithDType(0, func() {
					assert.Equal(t, torch.Meta, torch.DefaultDevice(), "the zero Device changes nothing")
					assert.Equal(t, torch.Float64, torch.DefaultDType(), "the zero DType changes nothing")
				})
			})
		})
		require.ErrorIs(t, torch.Try(func() { torch.WithDType(torch.Int64, func() { t.Error("ran") }) }), torch.ErrType)
		assert.Equal(t, torch.Meta, torch.DefaultDevice())
	})
	assert.Equal(t, torch.CPU, torch.DefaultDevice())
	assert.Equal(t, torch.Float32, torch.DefaultDType())
}

// A tensor created from another tensor has its device and dtype, not the defaults.
func TestDefaultsDoNotMoveTensors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		torch.WithDevice(torch.Meta, func() {
			torch.WithDType(torch.Float64, func() {
				for name, y := range map[string]*torch.Tensor{
					"ZerosLike": torch.ZerosLike(x), "RandLike": torch.RandLike(x), "FullLike": torch.FullLike(x, 1.5),
					"To": x.To(), "To(0)": x.To(torch.Device(0), torch.DType(0)), "Add": x.Add(x),
					"FromSliceShared": torch.FromSliceShared([]float32{1, 2}),
				} {
					assert.Equal(t, torch.CPU, y.Device(), name)
					assert.Equal(t, torch.Float32, y.DType(), name)
				}
				assert.Equal(t, torch.Meta, x.ToDevice(0).Device())
			})
		})
	})
}

func TestDefaultsThatCannotBe(t *testing.T) {
	for _, d := range []torch.DType{torch.Int64, torch.Bool, torch.Complex64, torch.Float8E5M2, -1, 99} {
		err := torch.Try(func() { torch.SetDefaultDType(d) })
		require.ErrorIs(t, err, torch.ErrType)
		assert.ErrorContains(t, err,
			"SetDefaultDType: argument d: expected float16, bfloat16, float32 or float64, got "+d.String())
	}
	if torch.CUDA.Check() != nil {
		require.ErrorIs(t, torch.Try(func() { torch.SetDefaultDevice(torch.CUDA.At(0)) }), torch.ErrDevice)
		require.ErrorIs(t, torch.Try(func() { torch.WithDevice(torch.CUDA.At(0), func() { t.Error("ran") }) }),
			torch.ErrDevice)
	}
	assert.Equal(t, torch.CPU, torch.DefaultDevice())
	assert.Equal(t, torch.Float32, torch.DefaultDType())
}

func TestDevices(t *testing.T) {
	for name, c := range map[string]struct {
		dev   torch.Device
		kind  string
		index int
		code  int32
	}{
		"cpu":     {torch.CPU, "cpu", -1, 0},
		"meta":    {torch.Meta, "meta", -1, 14 << 8},
		"mps":     {torch.MPS, "mps", -1, 13 << 8},
		"mps:0":   {torch.DeviceOf(13<<8 + 1), "mps", 0, 13<<8 + 1},
		"default": {0, "default", -1, -1},
		"cuda:0":  {torch.CUDA.At(0), "cuda", 0, 1<<8 + 1},
		"cuda":    {torch.CUDA, "cuda", -1, 1 << 8},
	} {
		assert.Equal(t, name, c.dev.String())
		assert.Equal(t, c.kind, c.dev.Type())
		assert.Equal(t, c.index, c.dev.Index())
		assert.Equal(t, c.kind == "cpu", c.dev.IsCPU())
		assert.Equal(t, c.kind == "cuda", c.dev.IsCUDA())
		assert.Equal(t, c.dev, torch.DeviceOf(c.code))
		if !c.dev.IsCUDA() {
			assert.Equal(t, c.code, c.dev.Code())
		}
		if name != "default" {
			parsed, err := torch.ParseDevice(name)
			require.NoError(t, err)
			assert.Equal(t, c.dev, parsed)
		}
	}
	assert.Equal(t, 127, torch.CUDA.At(127).Index())
	for _, i := range []int{-1, -2, 128, 255, 256, 1 << 40} {
		err := torch.Try(func() { torch.CUDA.At(i) })
		require.ErrorIs(t, err, torch.ErrValue, i)
		assert.ErrorContains(t, err, "Device.At: argument index: expected a device index from 0 to 127")
	}
	for _, d := range []torch.Device{0, torch.CPU, torch.Meta} {
		err := torch.Try(func() { d.At(0) })
		require.ErrorIs(t, err, torch.ErrDevice, d.String())
		assert.ErrorContains(t, err, "Device.At: argument d: expected a device type with indices")
	}
	assert.Equal(t, torch.CUDA.At(3), torch.CUDA.At(1).At(3))
	for _, s := range []string{"", "default", "cuda:", "cuda:-1", "cuda:128", "gpu", "cuda:0:1"} {
		d, err := torch.ParseDevice(s)
		require.ErrorIs(t, err, torch.ErrValue, s)
		assert.Zero(t, d)
	}
	assert.NoError(t, torch.Device(0).Check())
}
