package models

import (
	"math"

	"github.com/gotorch/gotorch/nn"
)

// The constructors of EfficientNets of all sizes.

// NewEfficientNetB0 returns an EfficientNet B0 with a default [WithDropout] of 0.2. Follows
// torchvision.models.efficientnet_b0.
func NewEfficientNetB0(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNetV1("models.NewEfficientNetB0", 1, 1, config{norm: batchNorm, dropout: 0.2}, opts)
}

// NewEfficientNetB1 returns an EfficientNet B1 with a default [WithDropout] of 0.2. Follows
// torchvision.models.efficientnet_b1.
func NewEfficientNetB1(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNetV1("models.NewEfficientNetB1", 1, 1.1, config{norm: batchNorm, dropout: 0.2}, opts)
}

// NewEfficientNetB2 returns an EfficientNet B2 with a default [WithDropout] of 0.3. Follows
// torchvision.models.efficientnet_b2.
func NewEfficientNetB2(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNetV1("models.NewEfficientNetB2", 1.1, 1.2, config{norm: batchNorm, dropout: 0.3}, opts)
}

// NewEfficientNetB3 returns an EfficientNet B3 with a default [WithDropout] of 0.3. Follows
// torchvision.models.efficientnet_b3.
func NewEfficientNetB3(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNetV1("models.NewEfficientNetB3", 1.2, 1.4, config{norm: batchNorm, dropout: 0.3}, opts)
}

// NewEfficientNetB4 returns an EfficientNet B4 with a default [WithDropout] of 0.4. Follows
// torchvision.models.efficientnet_b4.
func NewEfficientNetB4(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNetV1("models.NewEfficientNetB4", 1.4, 1.8, config{norm: batchNorm, dropout: 0.4}, opts)
}

// NewEfficientNetB5 returns an EfficientNet B5 with a default [WithDropout] of 0.4. Follows
// torchvision.models.efficientnet_b5.
func NewEfficientNetB5(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNetV1("models.NewEfficientNetB5", 1.6, 2.2,
		config{norm: batchNormWith(nn.Eps(0.001), nn.Momentum(0.01)), dropout: 0.4}, opts)
}

// NewEfficientNetB6 returns an EfficientNet B6 with a default [WithDropout] of 0.5. Follows
// torchvision.models.efficientnet_b6.
func NewEfficientNetB6(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNetV1("models.NewEfficientNetB6", 1.8, 2.6,
		config{norm: batchNormWith(nn.Eps(0.001), nn.Momentum(0.01)), dropout: 0.5}, opts)
}

// NewEfficientNetB7 returns an EfficientNet B7 with a default [WithDropout] of 0.5. Follows
// torchvision.models.efficientnet_b7.
func NewEfficientNetB7(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNetV1("models.NewEfficientNetB7", 2, 3.1,
		config{norm: batchNormWith(nn.Eps(0.001), nn.Momentum(0.01)), dropout: 0.5}, opts)
}

// newEfficientNetV1 returns an EfficientNet with the width and depth of B0, multiplied by
// the given factors.
func newEfficientNetV1(op string, width, depth float64, own config, opts []EfficientNetOption) *EfficientNet {
	stages := []stage{
		{false, 1, 3, 1, 32, 16, 1},
		{false, 6, 3, 2, 16, 24, 2},
		{false, 6, 5, 2, 24, 40, 2},
		{false, 6, 3, 2, 40, 80, 3},
		{false, 6, 5, 1, 80, 112, 3},
		{false, 6, 5, 2, 112, 192, 4},
		{false, 6, 3, 1, 192, 320, 1},
	}
	for i := range stages {
		s := &stages[i]
		s.in, s.out = scaled(s.in, width, 8), scaled(s.out, width, 8)
		s.blocks = int(math.Ceil(float64(s.blocks) * depth))
	}
	return newEfficientNet(op, stages, 4*stages[len(stages)-1].out, own, opts)
}

// NewEfficientNetV2S returns a small EfficientNetV2 with a default [WithDropout] of 0.2.
// Images must have at least 33 x 33 pixels. Follows torchvision.models.efficientnet_v2_s.
func NewEfficientNetV2S(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNet("models.NewEfficientNetV2S", []stage{
		{true, 1, 3, 1, 24, 24, 2},
		{true, 4, 3, 2, 24, 48, 4},
		{true, 4, 3, 2, 48, 64, 4},
		{false, 4, 3, 2, 64, 128, 6},
		{false, 6, 3, 1, 128, 160, 9},
		{false, 6, 3, 2, 160, 256, 15},
	}, 1280, config{norm: batchNormWith(nn.Eps(0.001)), dropout: 0.2}, opts)
}

// NewEfficientNetV2M returns a medium EfficientNetV2 with a default [WithDropout] of 0.3.
// Images must have at least 33 x 33 pixels. Follows torchvision.models.efficientnet_v2_m.
func NewEfficientNetV2M(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNet("models.NewEfficientNetV2M", []stage{
		{true, 1, 3, 1, 24, 24, 3},
		{true, 4, 3, 2, 24, 48, 5},
		{true, 4, 3, 2, 48, 80, 5},
		{false, 4, 3, 2, 80, 160, 7},
		{false, 6, 3, 1, 160, 176, 14},
		{false, 6, 3, 2, 176, 304, 18},
		{false, 6, 3, 1, 304, 512, 5},
	}, 1280, config{norm: batchNormWith(nn.Eps(0.001)), dropout: 0.3}, opts)
}

// NewEfficientNetV2L returns a large EfficientNetV2 with a default [WithDropout] of 0.4.
// Images must have at least 33 x 33 pixels. Follows torchvision.models.efficientnet_v2_l.
func NewEfficientNetV2L(opts ...EfficientNetOption) *EfficientNet {
	return newEfficientNet("models.NewEfficientNetV2L", []stage{
		{true, 1, 3, 1, 32, 32, 4},
		{true, 4, 3, 2, 32, 64, 7},
		{true, 4, 3, 2, 64, 96, 7},
		{false, 4, 3, 2, 96, 192, 10},
		{false, 6, 3, 1, 192, 224, 19},
		{false, 6, 3, 2, 224, 384, 25},
		{false, 6, 3, 1, 384, 640, 7},
	}, 1280, config{norm: batchNormWith(nn.Eps(0.001)), dropout: 0.4}, opts)
}
