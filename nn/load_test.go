package nn_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
)

// source is a fake file. It counts the reads of each tensor. fails is the name of a
// tensor whose second read returns an error.
type source struct {
	names []string
	make  map[string]func() *torch.Tensor
	fails string
	asked map[string]int
}

var errBroken = errors.New("broken off")

func (s *source) Names() []string { return s.names }

func (s *source) Path() string { return "a.file" }

func (s *source) Tensor(name string) (*torch.Tensor, error) {
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[name]++
	if name == s.fails && s.asked[name] > 1 { // the first read only asks for the shape
		return nil, errBroken
	}
	return s.make[name](), nil
}

func ones(shape ...int64) func() *torch.Tensor {
	return func() *torch.Tensor { return torch.Ones(shape) }
}

// Loading a file needs memory for one tensor in addition to the model, or none if the
// model takes over the tensors of the file (Assign).
func TestLoadOfAFileNeedsOneTensorMore(t *testing.T) {
	scoped(t, func() {
		const side, layers = 256, 6
		const largest = side * side * 4
		model := func(opts ...nn.LinearOption) *nn.Sequential {
			s := nn.NewSequential()
			for range layers {
				s.Append(nn.NewLinear(side, side, opts...))
			}
			return s
		}
		from := model()
		defer from.Close()
		folder := t.TempDir()
		plain, pickled := filepath.Join(folder, "model.safetensors"), filepath.Join(folder, "model.pt")
		require.NoError(t, safetensors.SaveFile(from.StateDict().Map(), plain))
		require.NoError(t, serialization.Save(from.StateDict(), pickled))
		mapped, err := safetensors.Open(plain, safetensors.BackendMmap)
		require.NoError(t, err)
		defer mapped.Close()
		read, err := safetensors.Open(plain)
		require.NoError(t, err)
		defer read.Close()
		pt, err := serialization.OpenStateDict(pickled)
		require.NoError(t, err)
		defer pt.Close()
		for name, c := range map[string]struct {
			src       nn.StateSource
			one, take int64
		}{
			"mapped": {mapped, 0, 0},
			"read":   {read, largest, layers * (largest + side*4)},
			"pickle": {pt, largest, layers * (largest + side*4)},
		} {
			to := model()
			growth := memory.Track("load", func() { require.NoError(t, to.LoadStateDict(c.src)) }).PeakGrowth()
			assert.InDelta(t, c.one, growth, 4096, name)
			empty := model(nn.Device(torch.Meta))
			first := empty.Parameters()[0]
			growth = memory.Track("take", func() {
				require.NoError(t, empty.LoadStateDict(c.src, nn.Assign(true)))
			}).PeakGrowth()
			assert.InDelta(t, c.take, growth, 4096, name)
			assert.True(t, first.IsClosed())
			for i, n := range from.StateDict() {
				assert.True(t, n.Tensor.Equal(to.StateDict()[i].Tensor), name)
				assert.True(t, n.Tensor.Equal(empty.StateDict()[i].Tensor), name)
				assert.True(t, empty.StateDict()[i].Tensor.RequiresGrad())
			}
			require.NoError(t, to.Close())
			require.NoError(t, empty.Close())
		}
	})
}

// A mismatch is found before anything is loaded. The report and the error describe it and name the
// file.
func TestLoadOfAFileThatDoesNotFit(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(nn.NewLinear(2, 2), nn.NewLinear(2, 2, nn.Bias(false)))
		defer m.Close()
		before := m.StateDict().String()
		src := &source{
			names: []string{"0.weight", "0.bias", "z"},
			make:  map[string]func() *torch.Tensor{"0.weight": ones(2, 2), "0.bias": ones(3), "z": ones()},
		}
		report, err := nn.LoadFrom(m, src)
		require.ErrorIs(t, err, torch.ErrValue)
		require.EqualError(t, err, "torch: LoadFrom: a.file: missing names: [1.weight]; unknown names: [z]; sizes "+
			"differ: 0.bias has shape (2,) in the module and (3,) in the state dict")
		assert.Equal(t, "loaded 0 tensors, 0 under other names\nmissing (1): 1.weight\nunknown (1): z\n"+
			"different shapes: 0.bias has shape (2,) in the module and (3,) in the source", report.String())
		assert.Equal(t, before, m.StateDict().String())

		keys, err := nn.LoadStateDict(m, src, nn.Strict(false), nn.Ignore{"0.bias"})
		require.NoError(t, err)
		assert.Equal(t, "_IncompatibleKeys(missing_keys=['0.bias', '1.weight'], unexpected_keys=['z'])", keys.String())
		assert.Equal(t, []float32{1, 1, 1, 1}, m.StateDict()[0].Tensor.Float32s())

		_, err = nn.LoadFrom(m, nil)
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { _, _ = nn.LoadFrom(nil, src) }), torch.ErrNil)
	})
}

// If a file ends early, the error says how many tensors were loaded. With Assign, a
// load is all or nothing.
func TestLoadOfAFileThatBreaksOff(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(2, 2)
		defer m.Close()
		before := m.Weight.Float32s()
		broken := func() *source {
			return &source{
				names: []string{"bias", "weight"},
				make:  map[string]func() *torch.Tensor{"weight": ones(2, 2), "bias": ones(2)}, fails: "bias",
			}
		}
		_, err := nn.LoadFrom(m, broken(), nn.Assign(true))
		require.ErrorIs(t, err, errBroken)
		require.EqualError(t, err, "torch: LoadFrom: bias: broken off")
		assert.Equal(t, before, m.Weight.Float32s())
		report, err := nn.LoadFrom(m, broken())
		require.ErrorIs(t, err, errBroken)
		require.EqualError(t, err, "torch: LoadFrom: bias, after 1 of 2 tensors were loaded: broken off")
		assert.Equal(t, []nn.Loaded{{"weight", []string{"weight"}}}, report.Loaded)

		lies := broken()
		lies.fails = ""
		lies.make["bias"] = func() *torch.Tensor {
			if lies.asked["bias"] > 1 {
				return torch.Ones(torch.Shape{1})
			}
			return torch.Ones(torch.Shape{2})
		}
		require.ErrorIs(t, m.LoadStateDict(lies), torch.ErrShape)
		lies.make["bias"] = func() *torch.Tensor { return nil }
		require.ErrorIs(t, m.LoadStateDict(lies), torch.ErrNil)
		broken1 := broken()
		broken1.asked = map[string]int{"bias": 1}
		require.ErrorIs(t, m.LoadStateDict(broken1), errBroken, "where shapes are asked for")
	})
}

// A file may contain only one copy of a tensor that two layers share. With Assign, the
// module's layers share it too.
func TestLoadOfSharedTensors(t *testing.T) {
	scoped(t, func() {
		for _, assign := range []nn.Assign{false, true} {
			opts := []nn.LinearOption{nn.Bias(false)}
			if assign {
				opts = append(opts, nn.Device(torch.Meta))
			}
			a, b := nn.NewLinear(2, 2, opts...), nn.NewLinear(2, 2, opts...)
			require.NoError(t, b.Weight.Close())
			b.Weight = a.Weight
			m := nn.NewSequential(a, b)
			src := &source{names: []string{"1.weight"}, make: map[string]func() *torch.Tensor{"1.weight": ones(2, 2)}}
			report, err := nn.LoadFrom(m, src, assign)
			require.NoError(t, err)
			assert.Len(t, report.Loaded, 2)
			assert.Same(t, a.Weight, b.Weight)
			assert.Equal(t, []float32{1, 1, 1, 1}, a.Weight.Float32s())
			assert.LessOrEqual(t, src.asked["1.weight"], 2, "once for its shape")
			require.NoError(t, m.Close())
		}
	})
}

// Hooks receive the file's tensors without values, and may rename and remove them.
func TestHooksOfALoadFromAFile(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(2, 2)
		defer m.Close()
		m.RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, _ string) {
			for i, n := range *sd {
				if n.Name == "w" {
					(*sd)[i].Name = "weight"
				}
			}
			*sd = append(*sd, nn.NamedTensor{Name: "bias", Tensor: torch.Zeros(torch.Shape{2})})
		})
		src := &source{names: []string{"w"}, make: map[string]func() *torch.Tensor{"w": ones(2, 2)}}
		require.NoError(t, m.LoadStateDict(src))
		assert.Equal(t, []float32{1, 1, 1, 1}, m.Weight.Float32s())
		assert.Equal(t, []float32{0, 0}, m.Bias.Float32s())
		require.NoError(t, m.LoadStateDict(src, nn.Assign(true)))
	})
}

// Tensors are converted to the module's dtype, possibly through another dtype. With
// Assign, they have the dtype given by the DType option.
func TestDTypeOfALoadFromAFile(t *testing.T) {
	scoped(t, func() {
		tenth := func() *torch.Tensor { return torch.Full(torch.Shape{1, 1}, 0.1, torch.Float64) }
		src := &source{names: []string{"weight"}, make: map[string]func() *torch.Tensor{"weight": tenth}}
		m := nn.NewLinear(1, 1, nn.Bias(false))
		defer m.Close()
		require.NoError(t, m.LoadStateDict(src))
		assert.Equal(t, []float32{0.1}, m.Weight.Float32s())
		require.NoError(t, m.LoadStateDict(src, nn.DType(torch.Float16)))
		assert.Equal(t, []float32{0.099975586}, m.Weight.Float32s())
		require.NoError(t, m.LoadStateDict(src, nn.DType(torch.BFloat16), nn.Device(torch.CPU), nn.Assign(true)))
		assert.Equal(t, torch.BFloat16, m.Weight.DType())
		require.ErrorIs(t, m.LoadStateDict(src, nn.DType(torch.Int64), nn.Assign(true)), torch.ErrValue)
	})
}

// Loading to a device that does not exist is an error, from a file and from a state
// dict.
func TestMissingDeviceOfALoad(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(1, 1, nn.Bias(false))
		defer m.Close()
		file := &source{names: []string{"weight"}, make: map[string]func() *torch.Tensor{"weight": ones(1, 1)}}
		for _, src := range []nn.StateSource{file, m.StateDict()} {
			err := m.LoadStateDict(src, nn.Device(torch.CUDA.At(99)))
			require.ErrorIs(t, err, torch.ErrDevice)
			require.ErrorContains(t, err, "LoadStateDict: argument Device: ")
		}
		assert.Empty(t, file.asked)
	})
}

func TestStateDictIsASource(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{})
		sd := nn.StateDict{{"a", x}}
		got, err := sd.Tensor("a")
		require.NoError(t, err)
		assert.Same(t, x, got)
		_, err = sd.Tensor("b")
		require.ErrorIs(t, err, torch.ErrValue)
	})
}

// A dtype that libtorch cannot convert, and an extra state that cannot be read, are found before
// anything is loaded.
func TestLoadIsAllOrNothing(t *testing.T) {
	packed := func() *torch.Tensor {
		return torch.Zeros(torch.Shape{2}, torch.Uint8).ViewDType(torch.Float4E2M1FNX2)
	}
	quantized := func() *torch.Tensor { return aten.QuantizePerTensor(torch.Ones(torch.Shape{2}), 0.1, 0, torch.QInt8) }
	scoped(t, func() {
		for _, c := range []struct {
			bias func() *torch.Tensor
			opt  nn.LoadOption
			says string
		}{
			{
				packed, nn.Assign(false),
				"the tensor for bias has dtype float4_e2m1fn_x2, which libtorch cannot convert to float32",
			},
			{packed, nn.DType(torch.Float64), "argument DType: libtorch cannot convert float4_e2m1fn_x2 to float64"},
			{
				quantized, nn.Assign(false),
				"the tensor for bias has dtype qint8, which libtorch cannot convert to float32",
			},
			{
				quantized, nn.Assign(true),
				"the tensor for bias has dtype qint8, which cannot replace a tensor of dtype float32",
			},
		} {
			for _, src := range []nn.StateSource{
				nn.StateDict{{"weight", torch.Ones(torch.Shape{2, 2})}, {"bias", c.bias()}},
				&source{
					names: []string{"weight", "bias"},
					make:  map[string]func() *torch.Tensor{"weight": ones(2, 2), "bias": c.bias},
				},
			} {
				if _, file := src.(*source); file && c.bias().IsQuantized() {
					continue // libtorch has no quantized tensors on the meta device
				}
				m := nn.NewLinear(2, 2)
				m.SetRequiresGrad(false)
				before := m.StateDict().String()
				err := m.LoadStateDict(src, c.opt)
				require.ErrorIs(t, err, torch.ErrDType)
				require.ErrorContains(t, err, c.says)
				assert.Equal(t, before, m.StateDict().String())
				require.NoError(t, m.Close())
			}
		}
		p := new(holder)
		p.Init(p)
		defer p.Close()
		c := newCounter(p.As("c"))
		fc := nn.NewLinear(1, 1, p.As("fc"))
		before := fc.Weight.Float32s()
		src := &source{
			names: []string{"c._extra_state", "fc.weight", "fc.bias"}, fails: "c._extra_state",
			make: map[string]func() *torch.Tensor{
				"c._extra_state": func() *torch.Tensor { return torch.FromSlice([]int64{5}) }, "fc.weight": ones(1, 1),
				"fc.bias": ones(1),
			},
		}
		report, err := nn.LoadFrom(p, src)
		require.ErrorIs(t, err, errBroken)
		require.EqualError(t, err, "torch: LoadFrom: c._extra_state: broken off")
		assert.Empty(t, report.Loaded)
		assert.Equal(t, before, fc.Weight.Float32s())
		src.fails = ""
		require.NoError(t, p.LoadStateDict(src))
		assert.Equal(t, int64(5), c.steps)
		assert.Equal(t, []float32{1}, fc.Weight.Float32s())
	})
}
