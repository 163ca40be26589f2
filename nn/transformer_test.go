package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// The fused kernel gives the same results as the separate layers.
func TestTransformerKernels(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(0)
		m := encoder(2).(*nn.TransformerEncoder)
		defer m.Close()
		m.Eval()
		x := torch.Randn(torch.Shape{2, 3, 4})
		ends := torch.FromSlice([]bool{false, false, true, false, false, false}, 2, 3)
		later := torch.Ones(torch.Shape{3, 3}, torch.Bool).Triu(1)
		for name, opts := range map[string][]nn.EncoderCallOption{
			"plain": {}, "padding": {nn.SrcKeyPaddingMask(ends)}, "mask": {nn.Mask(later)},
			"both":  {nn.Mask(later), nn.SrcKeyPaddingMask(ends)},
			"float": {nn.Mask(nn.GenerateSquareSubsequentMask(3))}, "hint": {nn.IsCausal(true)},
		} {
			slow := m.Forward(x, opts...).Detach()
			var fast *torch.Tensor
			torch.NoGrad(func() { fast = m.Forward(x, opts...) })
			hidden := torch.Zeros(torch.Shape{2, 3, 1}, torch.Bool)
			// The kernel skips padded positions: its result is 0 there, unlike the result
			// of the layers.
			if name == "padding" {
				hidden = ends.Unsqueeze(2)
				assert.Zero(t, fast.Index(0, 2).Abs().Sum().Item())
			}
			assert.InDeltaSlice(t, slow.MaskedFill(hidden, 0).Float32s(), fast.MaskedFill(hidden, 0).Float32s(), 1e-5,
				name)
		}
		// If a layer has a hook, the encoder runs the separate layers, so the hook
		// runs.
		seen := 0
		h := m.Get("layers.1.linear2").ModuleBase().RegisterForwardHook(func(nn.Module, []*torch.Tensor,
			[]*torch.Tensor,
		) []*torch.Tensor {
			seen++
			return nil
		})
		torch.NoGrad(func() { m.Forward(x, nn.SrcKeyPaddingMask(ends)) })
		assert.Equal(t, 1, seen)
		h.Remove()
	})
}

// A decoder detects a causal mask by its values. A hint that says otherwise takes
// precedence.
func TestCausalMasks(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(0)
		m := decoder(1).(*nn.TransformerDecoder)
		defer m.Close()
		m.Eval()
		tgt, memory := torch.Randn(torch.Shape{2, 3, 4}), torch.Randn(torch.Shape{2, 5, 4})
		want := m.Forward(tgt, memory, nn.TgtMask(nn.GenerateSquareSubsequentMask(3)), nn.TgtIsCausal(false)).Float32s()
		later := torch.Ones(torch.Shape{3, 3}, torch.Bool).Triu(1)
		for _, opts := range [][]nn.DecoderCallOption{
			{nn.TgtMask(later)},
			{nn.TgtMask(nn.GenerateSquareSubsequentMask(3))},
			{nn.TgtIsCausal(true)},
			{nn.TgtMask(later.Expand(4, 3, 3))},
		} {
			assert.InDeltaSlice(t, want, m.Forward(tgt, memory, opts...).Float32s(), 1e-5)
		}
	})
}

// The copies in a stack share nothing with the original layer.
func TestStackedLayers(t *testing.T) {
	scoped(t, func() {
		layer := nn.NewTransformerEncoderLayer(4, 2, nn.DimFeedforward(6), nn.ActivationFunc(F.Tanh))
		m := nn.NewTransformerEncoder(layer, 2, nn.EnableNestedTensor(false))
		defer m.Close()
		require.NoError(t, layer.Close())
		x := torch.Randn(torch.Shape{3, 2, 4})
		assert.Equal(t, torch.Shape{3, 2, 4}, m.Forward(x).Shape())
		assert.Equal(t, torch.Shape{3, 4}, m.Forward(x.Select(1, 0)).Shape())
		require.NoError(t, m.Layers.At(1).Close())
		m.Layers.Set(1, nn.NewIdentity())
		assert.ErrorIs(t, torch.Try(func() { m.Forward(x) }), torch.ErrType)

		prelu := nn.NewPReLU()
		both := nn.NewTransformer(nn.DModel(4), nn.NHead(2), nn.NumEncoderLayers(1), nn.NumDecoderLayers(1),
			nn.ActivationLayer(prelu))
		defer both.Close()
		both.Forward(x, x)
		assert.False(t, prelu.Weight.IsClosed(), "the program's own")
		require.NoError(t, prelu.Close())
	})
}

// Options of parts that a custom encoder or decoder replaces are errors.
func TestTransformerOptionsWithoutEffect(t *testing.T) {
	scoped(t, func() {
		encoder, decoder := new(echoEncoder), new(echoDecoder)
		encoder.Init(encoder)
		decoder.Init(decoder)
		both := []nn.TransformerOption{nn.CustomEncoder(encoder), nn.CustomDecoder(decoder), nn.DModel(4), nn.NHead(2)}
		for name, c := range map[string]struct {
			custom nn.TransformerOption
			option nn.TransformerOption
		}{
			"NumEncoderLayers": {nn.CustomEncoder(encoder), nn.NumEncoderLayers(1)},
			"NumDecoderLayers": {nn.CustomDecoder(decoder), nn.NumDecoderLayers(1)},
			"DropoutP":         {nn.CustomEncoder(encoder), nn.DropoutP(0.5)},
			"DimFeedforward":   {nn.CustomEncoder(encoder), nn.DimFeedforward(6)},
			"ActivationLayer":  {nn.CustomEncoder(encoder), nn.ActivationLayer(nn.NewIdentity())},
		} {
			err := torch.Try(func() { nn.NewTransformer(append(both[:4:4], c.custom, c.option)...) })
			require.ErrorIs(t, err, torch.ErrValue, name)
			assert.ErrorContains(t, err, "argument "+name+": has no effect with Custom")
		}
		m := nn.NewTransformer(append(both, nn.BatchFirst(true), nn.CustomEncoder(nil), nn.NumEncoderLayers(1))...)
		defer m.Close()
		assert.Same(t, decoder, m.Decoder)
	})
}

// An encoder-only language model is a Transformer without decoder layers.
func TestTransformerWithoutDecoderLayers(t *testing.T) {
	scoped(t, func() {
		m := nn.NewTransformer(nn.DModel(4), nn.NHead(2), nn.DimFeedforward(6), nn.NumEncoderLayers(1),
			nn.NumDecoderLayers(0))
		defer m.Close()
		x := torch.Ones(torch.Shape{3, 2, 4})
		assert.Equal(t, x.Shape(), m.Encoder.Forward(x).Shape())
		assert.Equal(t, 0, m.Decoder.(*nn.TransformerDecoder).Layers.Len())
		assert.Contains(t, m.String(), "(layers): ModuleList()")
		require.ErrorIs(t, torch.Try(func() { m.Forward(x, x) }), torch.ErrIndex) // IndexError in Python
	})
}

// languageModel has a linear layer in place of the decoder.
type languageModel struct {
	*nn.Transformer
	decoder *nn.Linear
}

func TestReplacedDecoder(t *testing.T) {
	scoped(t, func() {
		m := &languageModel{Transformer: nn.NewTransformer(nn.DModel(4), nn.NHead(2), nn.DimFeedforward(6),
			nn.NumEncoderLayers(1), nn.NumDecoderLayers(0))}
		m.Init(m)
		defer m.Close()
		old := m.Transformer.Decoder
		m.decoder = nn.NewLinear(4, 9, m.As("decoder"))
		err := torch.Try(func() { m.Parameters() })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "if another layer has taken its place, close it and assign nil to the field")
		old.Close()
		m.Transformer.Decoder = nil
		assert.Same(t, m.decoder.Weight, m.GetParameter("decoder.weight"))
		x := m.Encoder.Forward(torch.Ones(torch.Shape{3, 2, 4}))
		assert.Equal(t, torch.Shape{3, 2, 9}, m.decoder.Forward(x).Shape())
	})
}

func TestBadTransformers(t *testing.T) {
	scoped(t, func() {
		x := torch.Zeros(torch.Shape{3, 2, 4})
		m := transformer(nil, nn.DimFeedforward(6)).(*nn.Transformer)
		defer m.Close()
		layer := nn.NewTransformerEncoderLayer(4, 2, nn.DimFeedforward(6))
		defer layer.Close()
		for i, c := range []struct {
			kind  error
			where string
			call  func()
		}{
			{torch.ErrValue, "nHead", func() { nn.NewTransformerEncoderLayer(4, 3) }},
			{torch.ErrValue, "NewTransformerDecoderLayer: argument DimFeedforward", func() {
				nn.NewTransformerDecoderLayer(4, 2, nn.DimFeedforward(-1))
			}},
			{torch.ErrValue, "DropoutP", func() { nn.NewTransformerEncoderLayer(4, 2, nn.DropoutP(2)) }},
			{torch.ErrValue, "Activation", func() { nn.NewTransformerEncoderLayer(4, 2, nn.Activation("tanh")) }},
			{torch.ErrNil, "Activation", func() { nn.NewTransformerEncoderLayer(4, 2, nn.ActivationFunc(nil)) }},
			{torch.ErrNil, "Activation", func() { nn.NewTransformerEncoderLayer(4, 2, nn.ActivationLayer(nil)) }},
			{torch.ErrDType, "NewTransformer", func() { nn.NewTransformer(nn.DType(torch.Int32)) }},
			{torch.ErrNil, "layer", func() { nn.NewTransformerEncoder(nil, 2) }},
			{torch.ErrValue, "layers", func() { nn.NewTransformerEncoder(layer, -1) }},
			{torch.ErrValue, "layers", func() {
				nn.NewTransformer(nn.DModel(4), nn.NHead(2), nn.NumDecoderLayers(-1))
			}},
			{torch.ErrValue, "size", func() { nn.GenerateSquareSubsequentMask(-1) }},
			{torch.ErrShape, "src", func() { m.Forward(torch.Zeros(torch.Shape{3, 2, 5}), x) }},
			{torch.ErrShape, "tgt", func() { m.Forward(x, torch.Zeros(torch.Shape{3, 1, 4})) }},
			{torch.ErrShape, "AttnMask", func() { m.Forward(x, x, nn.TgtMask(torch.Zeros(torch.Shape{2, 2}))) }},
			{torch.ErrNil, "tgt", func() { m.Forward(x, nil) }},
			{torch.ErrShape, "query", func() { layer.Forward(torch.Zeros(torch.Shape{4})) }},
		} {
			live := torch.NumLiveTensors()
			var err error
			torch.Scope(func() { err = torch.Try(c.call) })
			require.ErrorIs(t, err, c.kind, i)
			assert.ErrorContains(t, err, c.where, i)
			assert.Equal(t, live, torch.NumLiveTensors(), i)
		}
	})
}
