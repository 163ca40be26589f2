package nn_test

import (
	"strings"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// echo is the base of a minimal encoder and a minimal decoder for a Transformer.
type echo struct{ nn.Base }

type echoEncoder struct{ echo }

func (e *echoEncoder) Forward(src *torch.Tensor, _ ...nn.EncoderCallOption) *torch.Tensor {
	return e.Call(src, func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(2) })
}

type echoDecoder struct{ echo }

func (e *echoDecoder) Forward(tgt, memory *torch.Tensor, _ ...nn.DecoderCallOption) *torch.Tensor {
	return e.Call(tgt, func(x *torch.Tensor) *torch.Tensor { return x.Add(memory.Sum()) })
}

// transformerRows returns the rows of the option table for transformers, their parts
// and calls.
func transformerRows(p *holder) map[string]optiontest.Row {
	silu := func() any { return nn.ActivationLayer(nn.NewSiLU()) }
	part := joinPairs(places(),
		values(nn.DimFeedforward(5), nn.DimFeedforward(6)),
		values(nn.DropoutP(0.5), nn.DropoutP(0)),
		values(nn.ActivationGELU, nn.Activation("relu")).Hides(printed, notInRepr),
		values(nn.ActivationFunc(func(x *torch.Tensor) *torch.Tensor { return F.Softplus(x) }),
			nn.ActivationReLU).Hides(printed, notInRepr),
		values(silu, nn.ActivationReLU),
		values(nn.LayerNormEps(0.5), nn.LayerNormEps(0)),
		values(nn.BatchFirst(false), nn.BatchFirst(true)).Hides(printed, notInRepr),
		values(nn.NormFirst(true), nn.NormFirst(false)).Hides(printed, notInRepr),
		values(nn.Bias(false), nn.Bias(true)),
	)
	square := func() []*torch.Tensor { // valid with the batch first and with the batch second, because both sizes are 3
		x := torch.Rand(torch.Shape{3, 3, 4})
		return []*torch.Tensor{x, torch.Rand(torch.Shape{3, 3, 4})}
	}
	norm := func() any { return nn.FinalNorm(nn.NewTanh()) }
	encoding := func() any {
		e := new(echoEncoder)
		e.Init(e)
		return nn.CustomEncoder(e)
	}
	decoding := func() any {
		e := new(echoDecoder)
		e.Init(e)
		return nn.CustomDecoder(e)
	}
	rows := map[string]optiontest.Row{
		"NewTransformerEncoderLayer": rowOf(p, square, func(opts ...nn.TransformerLayerOption) nn.Module {
			return nn.NewTransformerEncoderLayer(4, 2, prepend(small, opts)...)
		}, part...),
		"NewTransformerDecoderLayer": rowOf(p, square, func(opts ...nn.TransformerLayerOption) nn.Module {
			return nn.NewTransformerDecoderLayer(4, 2, prepend(small, opts)...)
		}, part...),
		"NewTransformer": rowOf(p, square, func(opts ...nn.TransformerOption) nn.Module {
			return transformer(small, opts...)
		},
			joinPairs(part,
				values(nn.DModel(8), nn.DModel(4)),
				values(nn.NHead(1), nn.NHead(2)).Hides(printed, notInRepr),
				values(nn.NumEncoderLayers(2), nn.NumEncoderLayers(1)),
				values(nn.NumDecoderLayers(2), nn.NumDecoderLayers(1)),
				values(encoding, nn.CustomEncoder(nil)),
				values(decoding, nn.CustomDecoder(nil)),
			)...),
		"NewTransformerEncoder": rowOf(p, paddedVectors, func(opts ...nn.EncoderOption) nn.Module {
			return encoder(1, opts...)
		},
			values(norm, nn.FinalNorm(nil)),
			values(nn.EnableNestedTensor(false), nn.EnableNestedTensor(true)).Hides(printed, notInRepr),
			values(nn.MaskCheck(false), nn.MaskCheck(true)).Hides(printed, notInRepr),
		),
		"NewTransformerDecoder": rowOf(p, vectors, func(opts ...nn.DecoderOption) nn.Module {
			return decoder(1, opts...)
		},
			values(norm, nn.FinalNorm(nil))),
		"GenerateSquareSubsequentMask": optiontest.For(func(opts ...nn.SquareMaskOption) optiontest.Outcome {
			var s strings.Builder
			torch.Scope(func() { writeTensor(&s, "mask", nn.GenerateSquareSubsequentMask(3, opts...)) })
			return optiontest.Outcome{behavior: s.String()}
		},
			values(nn.Device(torch.Meta), nn.Device(torch.CPU)),
			values(nn.DType(torch.Float64), nn.DType(torch.Float32)),
		),
	}
	for name, r := range transformerCalls() {
		rows[name] = r
	}
	return rows
}

// transformerCalls returns the rows of the option table for the Forward methods of
// transformers.
func transformerCalls() map[string]optiontest.Row {
	src, tgt := torch.Linspace(-1, 1, 24).Reshape(2, 3, 4).Sin(), torch.Linspace(-1, 1, 24).Reshape(2, 3, 4).Cos()
	mask := torch.FromSlice([]bool{false, true, false, false, false, true, true, false, false}, 3, 3)
	padding := torch.FromSlice([]bool{false, false, true, false, true, true}, 2, 3)
	shown := func(m nn.Module, run func() *torch.Tensor) optiontest.Outcome {
		var s strings.Builder
		defer func() { _ = m.Close() }()
		m.Eval()
		torch.Scope(func() { writeTensor(&s, "result", run()) })
		return optiontest.Outcome{behavior: s.String()}
	}
	tgtRows := []optiontest.Pair{
		values(nn.TgtMask(mask), nn.TgtMask(nil)),
		values(nn.MemoryMask(mask), nn.MemoryMask(nil)),
		values(nn.TgtKeyPaddingMask(padding), nn.TgtKeyPaddingMask(nil)),
		values(nn.MemoryKeyPaddingMask(padding), nn.MemoryKeyPaddingMask(nil)),
		values(nn.TgtIsCausal(true), nn.TgtIsCausal(false)),
		values(nn.MemoryIsCausal(true), nn.MemoryIsCausal(false)),
	}
	encoding := []optiontest.Pair{
		values(nn.SrcKeyPaddingMask(padding), nn.SrcKeyPaddingMask(nil)),
		values(nn.IsCausal(true), nn.IsCausal(false)),
	}
	return map[string]optiontest.Row{
		"TransformerEncoderLayer.Forward": optiontest.For(func(opts ...nn.EncoderLayerCallOption) optiontest.Outcome {
			torch.ManualSeed(3)
			m := nn.NewTransformerEncoderLayer(4, 2, small...)
			return shown(m, func() *torch.Tensor { return m.Forward(src, opts...) })
		}, joinPairs(encoding, values(nn.SrcMask(mask), nn.SrcMask(nil)))...),
		"TransformerEncoder.Forward": optiontest.For(func(opts ...nn.EncoderCallOption) optiontest.Outcome {
			torch.ManualSeed(3)
			m := encoder(2).(*nn.TransformerEncoder)
			return shown(m, func() *torch.Tensor { return m.Forward(src, opts...) })
		}, joinPairs(encoding, values(nn.Mask(mask), nn.Mask(nil)))...),
		"TransformerDecoderLayer.Forward": optiontest.For(func(opts ...nn.DecoderCallOption) optiontest.Outcome {
			torch.ManualSeed(3)
			m := nn.NewTransformerDecoderLayer(4, 2, small...)
			return shown(m, func() *torch.Tensor { return m.Forward(tgt, src, opts...) })
		}, tgtRows...),
		"TransformerDecoder.Forward": optiontest.For(func(opts ...nn.DecoderCallOption) optiontest.Outcome {
			torch.ManualSeed(3)
			m := decoder(2).(*nn.TransformerDecoder)
			return shown(m, func() *torch.Tensor { return m.Forward(tgt, src, opts...) })
		}, tgtRows...),
		"Transformer.Forward": optiontest.For(func(opts ...nn.TransformerCallOption) optiontest.Outcome {
			torch.ManualSeed(3)
			m := transformer(small).(*nn.Transformer)
			return shown(m, func() *torch.Tensor { return m.Forward(src, tgt, opts...) })
		}, joinPairs(tgtRows,
			values(nn.SrcMask(mask), nn.SrcMask(nil)),
			values(nn.SrcKeyPaddingMask(padding), nn.SrcKeyPaddingMask(nil)),
			values(nn.SrcIsCausal(true), nn.SrcIsCausal(false)))...),
	}
}
