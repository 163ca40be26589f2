package ops_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	torchops "github.com/gotorch/gotorch/torch/ops"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/ops"
)

// tensorOf returns the tensor of a golden value.
func tensorOf(t *testing.T, v torchtest.Value) *torch.Tensor {
	t.Helper()
	x, err := v.Tensor()
	require.NoError(t, err)
	return x
}

func dtypeOf(name string) torch.DType {
	switch name {
	case "float64":
		return torch.Float64
	case "float16":
		return torch.Float16
	}
	return torch.Float32
}

// NMS keeps the same boxes as torchvision.
func TestNMS(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []struct {
		Boxes, Scores, Keep torchtest.Value
		Threshold           float64
	}
	torchtest.LoadGoldens(t, "testdata/kernels.json").Decode("nms", &cases)
	require.NotEmpty(t, cases)
	for i, c := range cases {
		torch.Scope(func() {
			got := ops.NMS(tensorOf(t, c.Boxes), tensorOf(t, c.Scores), c.Threshold)
			want := tensorOf(t, c.Keep)
			assert.True(t, want.Equal(got), "%d: %v\n%v", i, want, got)
		})
	}
}

// near compares a result with torchvision's.
func near(t *testing.T, want torchtest.Value, got *torch.Tensor, dtype torch.DType) {
	t.Helper()
	torchtest.AllClose(t, tensorOf(t, want), got, torchtest.Rounding(200, dtype), torchtest.EqualNaN(true))
}

// same is near, but on amd64, where compilers do not fuse operations, the results are equal.
func same(t *testing.T, want torchtest.Value, got *torch.Tensor, dtype torch.DType) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		near(t, want, got, dtype)
		return
	}
	torchtest.AllClose(t, tensorOf(t, want), got, torchtest.RTol(0), torchtest.ATol(0), torchtest.EqualNaN(true))
}

// The poolings have torchvision's results and gradients.
func TestPooling(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []struct {
		Op, DType string
		Size      []int64
		Scale     float64
		Ratio     int64
		Aligned   bool
		Y, Grad   torchtest.Value
	}
	g := torchtest.LoadGoldens(t, "testdata/kernels.json")
	g.Decode("pooled", &cases)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		torch.Scope(func() {
			dtype := dtypeOf(c.DType)
			x := g.Tensor("x").To(dtype).RequiresGrad_()
			rois := g.Tensor("rois").To(dtype)
			scale, ratio := ops.SpatialScale(c.Scale), ops.SamplingRatio(c.Ratio)
			var y, layer *torch.Tensor
			switch c.Op {
			case "roi_align":
				y = ops.ApplyRoIAlign(x, rois, c.Size, scale, ratio, ops.Aligned(c.Aligned))
				layer = ops.NewRoIAlign(c.Size, c.Scale, c.Ratio, ops.Aligned(c.Aligned)).Forward(x, rois)
			case "roi_pool":
				y = ops.ApplyRoIPool(x, rois, c.Size, scale)
				layer = ops.NewRoIPool(c.Size, c.Scale).Forward(x, rois)
			case "ps_roi_align":
				y = ops.ApplyPSRoIAlign(x, rois, c.Size, scale, ratio)
				layer = ops.NewPSRoIAlign(c.Size, c.Scale, c.Ratio).Forward(x, rois)
			case "ps_roi_pool":
				y = ops.ApplyPSRoIPool(x, rois, c.Size, scale)
				layer = ops.NewPSRoIPool(c.Size, c.Scale).Forward(x, rois)
			}
			same(t, c.Y, y.Detach(), dtype)
			torchtest.AllClose(t, y.Detach(), layer.Detach(), torchtest.RTol(0), torchtest.ATol(0),
				torchtest.EqualNaN(true))
			weight := g.Tensor("weight").Narrow(0, 0, y.Numel()).Reshape(y.Shape()...).To(dtype)
			y.Mul(weight).NaNToNum().Sum().Backward()
			same(t, c.Grad, x.Grad(), dtype)
		})
	}
}

// Deformable convolutions have torchvision's results and gradients.
func TestDeformConv2d(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []struct {
		DType                     string
		Stride, Padding, Dilation []int64
		Tensors, Grads            map[string]torchtest.Value
		Y                         torchtest.Value
	}
	g := torchtest.LoadGoldens(t, "testdata/kernels.json")
	g.Decode("deformed", &cases)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		torch.Scope(func() {
			in := map[string]*torch.Tensor{}
			for name, v := range c.Tensors {
				in[name] = tensorOf(t, v).RequiresGrad_()
			}
			y := ops.ApplyDeformConv2d(in["input"], in["offset"], in["weight"], ops.Strides(c.Stride),
				ops.Paddings(c.Padding), ops.Dilations(c.Dilation), ops.WithBias(in["bias"]), ops.Mask(in["mask"]))
			dtype := dtypeOf(c.DType)
			near(t, c.Y, y.Detach(), dtype)
			weight := g.Tensor("weight").Narrow(0, 0, y.Numel()).Reshape(y.Shape()...).To(dtype)
			y.Mul(weight).Sum().Backward()
			for name, x := range in {
				near(t, c.Grads[name], x.Grad(), dtype)
			}
		})
	}
}

// The operators have torchvision's schemas, and can be called by name.
func TestOperatorsByName(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var schemas []string
	torchtest.LoadGoldens(t, "testdata/kernels.json").Decode("schemas", &schemas)
	require.Len(t, schemas, 11)
	for _, s := range schemas {
		name, _, _ := strings.Cut(s, "(")
		assert.Equal(t, []string{s}, torchops.Schemas(name))
	}
	torch.Scope(func() {
		boxes := torch.FromSlice([]float32{0, 0, 2, 2, 0, 0, 2, 3, 5, 5, 6, 6}, 3, 4)
		keep := torchops.Call("torchvision::nms", boxes, torch.FromSlice([]float32{1, 2, 3}), 0.5)
		assert.Equal(t, []int64{2, 1}, keep.(*torch.Tensor).Int64s())
	})
}
