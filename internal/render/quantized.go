package render

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// qschemes maps the numbers of at::QScheme to names.
var qschemes = [...]string{
	"per_tensor_affine", "per_channel_affine", "per_tensor_symmetric", "per_channel_symmetric",
	"per_channel_affine_float_qparams",
}

// quantized sets the fields of out for a quantized tensor. Its elements are shown
// dequantized.
func (p printer) quantized(h abi.Tensor, out *tensorfmt.Tensor) {
	scheme := number(p, aten.Qscheme, h)
	name := fmt.Sprint(scheme)
	if scheme >= 0 && int(scheme) < len(qschemes) {
		name = qschemes[scheme]
	}
	out.Quantized = []string{"quantization_scheme=torch." + name}
	if scheme == 0 || scheme == 2 {
		out.Quantized = append(out.Quantized,
			"scale="+tensorfmt.PyFloat(number(p, aten.QScale, h)),
			fmt.Sprint("zero_point=", number(p, aten.QZeroPoint, h)))
	} else {
		axis := number(p, aten.QPerChannelAxis, h)
		out.Quantized = append(out.Quantized,
			"scale="+p.plain(aten.QPerChannelScales, h),
			"zero_point="+p.plain(aten.QPerChannelZeroPoints, h),
			fmt.Sprint("axis=", axis))
	}
	p.with(aten.DequantizeSelf, h, func(h abi.Tensor, shape []int64, dtype int8) {
		out.Values = p.values(h, shape, dtype)
	})
}

// plain computes a tensor from h with f and returns the text of its elements, for use in
// a suffix of h.
func (p printer) plain(f unaryFunc, h abi.Tensor) (text string) {
	p.with(f, h, func(h abi.Tensor, shape []int64, dtype int8) {
		var err error
		text, err = tensorfmt.Format(tensorfmt.Tensor{
			Shape: shape, DType: p.host.DTypeName(dtype),
			Values: p.values(h, shape, dtype),
		}, p.opts)
		if err != nil {
			text = "<" + err.Error() + ">"
		}
	})
	return text
}
