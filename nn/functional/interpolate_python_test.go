package functional_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// interpolation is a call of Interpolate that is compared with Python's.
type interpolation struct {
	Shape  torch.Shape    `json:"shape"`
	DType  string         `json:"dtype"`
	Last   bool           `json:"last"` // the input is channels_last
	Kwargs map[string]any `json:"kwargs"`
}

// options returns the options for the arguments of the call in Python.
func (c interpolation) options(t *testing.T) (opts []F.InterpolateOption) {
	for name, v := range c.Kwargs {
		switch v := v.(type) {
		case string:
			opts = append(opts, F.Mode(v))
		case bool:
			switch name {
			case "align_corners":
				opts = append(opts, F.AlignCorners(v))
			case "antialias":
				opts = append(opts, F.Antialias(v))
			case "recompute_scale_factor":
				opts = append(opts, F.RecomputeScaleFactor(v))
			default:
				require.Fail(t, name)
			}
		case int64:
			opts = append(opts, F.Size(v))
		case []int64:
			opts = append(opts, F.Sizes(v))
		case float64:
			opts = append(opts, F.ScaleFactor(v))
		case []float64:
			opts = append(opts, F.ScaleFactors(v))
		default:
			require.Fail(t, name)
		}
	}
	return opts
}

// interpolations returns the calls: upsampling and downsampling along one to three
// dimensions, in each mode and with each combination of the other options.
func interpolations() map[string]interpolation {
	calls := map[string]interpolation{}
	shapes := []torch.Shape{{2, 3, 7}, {2, 3, 7, 5}, {1, 2, 4, 5, 3}}
	for mode, dims := range map[string][]int{
		"nearest": {1, 2, 3}, "nearest-exact": {1, 2, 3}, "area": {1, 2, 3}, "linear": {1}, "bilinear": {2},
		"bicubic": {2}, "trilinear": {3},
	} {
		for _, n := range dims {
			sizes := map[string]any{
				"size": int64(6), "sizes": []int64{4, 9, 2}[:n], "up": 1.7, "down": 0.45,
				"factors": []float64{1.3, 0.6, 2}[:n],
			}
			for how, v := range sizes {
				for _, flags := range []string{
					"", "align", "align=false", "anti", "align anti", "recompute",
					"align recompute", "align=false anti recompute", "recompute=false",
				} {
					kw := map[string]any{"mode": mode, "size": v}
					if how == "up" || how == "down" || how == "factors" {
						kw = map[string]any{"mode": mode, "scale_factor": v}
					}
					setFlags(kw, flags)
					name := fmt.Sprintf("%s %dd %s %s", mode, n, how, flags)
					calls[name] = interpolation{shapes[n-1], "float32", false, kw}
				}
				if n == 2 {
					kw := map[string]any{"mode": mode, "size": v}
					if how != "size" && how != "sizes" {
						kw = map[string]any{"mode": mode, "scale_factor": v}
					}
					name := fmt.Sprintf("%s %s", mode, how)
					calls[name+" last"] = interpolation{shapes[1], "float32", true, kw}
					calls[name+" double"] = interpolation{shapes[1], "float64", false, kw}
					calls[name+" bytes"] = interpolation{shapes[1], "uint8", false, kw}
				}
			}
		}
	}
	return calls
}

// setFlags sets the arguments that the words in flags stand for.
func setFlags(kw map[string]any, flags string) {
	for _, f := range strings.Fields(flags) {
		switch f {
		case "align", "align=false":
			kw["align_corners"] = f == "align"
		case "anti":
			kw["antialias"] = true
		default:
			kw["recompute_scale_factor"] = f == "recompute"
		}
	}
}

// Interpolate returns the same values and gradients as Python's interpolate, and fails in
// the same cases.
func TestInterpolateAgainstPython(t *testing.T) {
	calls, rows := interpolations(), map[string]any{}
	for name, c := range calls {
		rows[name] = c
	}
	type golden struct {
		Error       string
		Shape       torch.Shape
		Value, Grad []float64
	}
	digest := func(x *torch.Tensor) []float64 {
		flat := x.Detach().Double().Reshape(-1)
		n := torch.Arange(flat.Numel(), torch.Float64)
		return []float64{
			flat.Sum().Item(), flat.Mul(n.Sin()).Sum().Item(), flat.Mul(n.Mul(n).Cos()).Sum().Item(),
		}
	}
	errors := 0
	goldens := pythontest.Goldens[golden](t, "testdata/interpolate.json", rows, "testdata/make_interpolate.py")
	for name, g := range goldens {
		torch.Scope(func() {
			c := calls[name]
			x := torch.Arange(c.Shape.Numel(), torch.Float64).MulScalar(0.7).Sin().Reshape(c.Shape...)
			switch c.DType {
			case "uint8":
				x = x.AddScalar(1).MulScalar(127).To(torch.Uint8)
			case "float32":
				x = x.To(torch.Float32)
			}
			if c.Last {
				x = x.To(torch.ChannelsLast)
			}
			if c.DType != "uint8" {
				x = x.Detach().RequiresGrad_()
			}
			var y *torch.Tensor
			err := torch.Try(func() { y = F.Interpolate(x, c.options(t)...) })
			if g.Error != "" {
				errors++
				assert.Error(t, err, "%s: Python has a %s", name, g.Error)
				return
			}
			if !assert.NoError(t, err, name) {
				return
			}
			assert.Equal(t, g.Shape, y.Shape(), name)
			assert.InDeltaSlice(t, g.Value, digest(y), 1e-4, name)
			if g.Grad != nil {
				n := torch.Arange(y.Numel(), torch.Float64)
				y.Double().Mul(n.Cos().Reshape(y.Shape()...)).Sum().Backward()
				assert.InDeltaSlice(t, g.Grad, digest(x.Grad()), 1e-4, name)
			}
		})
	}
	assert.Positive(t, errors)
}
