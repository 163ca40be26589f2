package ops

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/vision"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// RoIAlign is [ApplyRoIAlign] as a layer. Follows torchvision.ops.RoIAlign.
type RoIAlign struct {
	nn.Base
	OutputSize    [2]int64 // height and width
	SpatialScale  float64
	SamplingRatio int64
	Aligned       bool
	printed       string
}

// RoIPool is [ApplyRoIPool] as a layer. Follows torchvision.ops.RoIPool.
type RoIPool struct {
	nn.Base
	OutputSize   [2]int64 // height and width
	SpatialScale float64
	printed      string
}

// PSRoIAlign is [ApplyPSRoIAlign] as a layer. Follows torchvision.ops.PSRoIAlign.
type PSRoIAlign struct {
	nn.Base
	OutputSize    [2]int64 // height and width
	SpatialScale  float64
	SamplingRatio int64
	printed       string
}

// PSRoIPool is [ApplyPSRoIPool] as a layer. Follows torchvision.ops.PSRoIPool.
type PSRoIPool struct {
	nn.Base
	OutputSize   [2]int64 // height and width
	SpatialScale float64
	printed      string
}

// NewRoIAlign returns a RoIAlign. outputSize is an int, or a slice of height and width. [Aligned] is
// false by default. It panics with ErrType or ErrValue for another outputSize.
func NewRoIAlign(outputSize any, spatialScale float64, samplingRatio int64, aligned ...Aligned) *RoIAlign {
	const op = "ops.NewRoIAlign"
	l := &RoIAlign{OutputSize: twoSizes(op, outputSize), SpatialScale: spatialScale, SamplingRatio: samplingRatio}
	for _, a := range aligned {
		l.Aligned = bool(a)
	}
	l.printed = printed(outputSize)
	l.Init(l)
	return l
}

// NewRoIPool returns a RoIPool. outputSize is an int, or a slice of height and width. It panics with
// ErrType or ErrValue for another outputSize.
func NewRoIPool(outputSize any, spatialScale float64) *RoIPool {
	l := &RoIPool{OutputSize: twoSizes("ops.NewRoIPool", outputSize), SpatialScale: spatialScale}
	l.printed = printed(outputSize)
	l.Init(l)
	return l
}

// NewPSRoIAlign returns a PSRoIAlign. outputSize is an int, or a slice of height and width. It panics
// with ErrType or ErrValue for another outputSize.
func NewPSRoIAlign(outputSize any, spatialScale float64, samplingRatio int64) *PSRoIAlign {
	const op = "ops.NewPSRoIAlign"
	l := &PSRoIAlign{OutputSize: twoSizes(op, outputSize), SpatialScale: spatialScale, SamplingRatio: samplingRatio}
	l.printed = printed(outputSize)
	l.Init(l)
	return l
}

// NewPSRoIPool returns a PSRoIPool. outputSize is an int, or a slice of height and width. It panics
// with ErrType or ErrValue for another outputSize.
func NewPSRoIPool(outputSize any, spatialScale float64) *PSRoIPool {
	l := &PSRoIPool{OutputSize: twoSizes("ops.NewPSRoIPool", outputSize), SpatialScale: spatialScale}
	l.printed = printed(outputSize)
	l.Init(l)
	return l
}

// printed returns how Python prints an output size: an int, or a tuple.
func printed(size any) string {
	switch size.(type) {
	case int, int64:
		return fmt.Sprint(size)
	}
	p := twoSizes("ops.NewRoIAlign", size)
	return fmt.Sprintf("(%d, %d)", p[0], p[1])
}

// Forward is [ApplyRoIAlign] with the layer's settings.
func (l *RoIAlign) Forward(input, boxes *torch.Tensor) *torch.Tensor {
	return l.Call2(input, boxes, func(input, boxes *torch.Tensor) *torch.Tensor {
		return l.apply("ops.RoIAlign.Forward(input, boxes)", input, boxes)
	})
}

// Forward is [ApplyRoIPool] with the layer's settings.
func (l *RoIPool) Forward(input, boxes *torch.Tensor) *torch.Tensor {
	return l.Call2(input, boxes, func(input, boxes *torch.Tensor) *torch.Tensor {
		return pool("ops.RoIPool.Forward(input, boxes)", input, boxes, func(cx abi.Ctx, x, b abi.Tensor) abi.Ret {
			return vision.RoIPool(cx, x, b, l.SpatialScale, l.OutputSize)
		})
	})
}

// Forward is [ApplyPSRoIAlign] with the layer's settings.
func (l *PSRoIAlign) Forward(input, boxes *torch.Tensor) *torch.Tensor {
	return l.Call2(input, boxes, func(input, boxes *torch.Tensor) *torch.Tensor {
		return pool("ops.PSRoIAlign.Forward(input, boxes)", input, boxes, func(cx abi.Ctx, x, b abi.Tensor) abi.Ret {
			return vision.PSRoIAlign(cx, x, b, l.SpatialScale, l.OutputSize, l.SamplingRatio)
		})
	})
}

// Forward is [ApplyPSRoIPool] with the layer's settings.
func (l *PSRoIPool) Forward(input, boxes *torch.Tensor) *torch.Tensor {
	return l.Call2(input, boxes, func(input, boxes *torch.Tensor) *torch.Tensor {
		return pool("ops.PSRoIPool.Forward(input, boxes)", input, boxes, func(cx abi.Ctx, x, b abi.Tensor) abi.Ret {
			return vision.PSRoIPool(cx, x, b, l.SpatialScale, l.OutputSize)
		})
	})
}

// settings formats the settings of a layer as Python does.
func settings(name, size string, scale float64, more ...string) string {
	all := append([]string{"output_size=" + size, "spatial_scale=" + tensorfmt.PyFloat(scale)}, more...)
	return name + "(" + strings.Join(all, ", ") + ")"
}

func ratio(n int64) string { return fmt.Sprintf("sampling_ratio=%d", n) }

// String returns the layer with its settings, formatted as in Python.
func (l *RoIAlign) String() string {
	aligned := "aligned=False"
	if l.Aligned {
		aligned = "aligned=True"
	}
	return settings(l.TypeName(), l.printed, l.SpatialScale, ratio(l.SamplingRatio), aligned)
}

// String returns the layer with its settings, formatted as in Python.
func (l *RoIPool) String() string { return settings(l.TypeName(), l.printed, l.SpatialScale) }

// String returns the layer with its settings, formatted as in Python.
func (l *PSRoIAlign) String() string {
	return settings(l.TypeName(), l.printed, l.SpatialScale, ratio(l.SamplingRatio))
}

// String returns the layer with its settings, formatted as in Python.
func (l *PSRoIPool) String() string { return settings(l.TypeName(), l.printed, l.SpatialScale) }
