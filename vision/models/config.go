package models

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// config contains the values of the options of all models.
type config struct {
	op         string
	numClasses int64
	norm       func(channels int64) nn.Layer
	dropout    float64

	stochasticDepth, layerScale, widthMult float64

	initWeights, zeroInit     bool
	groups, widthPerGroup     int64
	dilate                    [3]bool
	bnSize                    int64
	dropRate                  float64
	residuals                 [][4]int64
	roundNearest              int64
	reducedTail, dilated      bool
	imageSize, representation int64
	attentionDropout          float64
	stem                      []ConvStemConfig
}

// read returns c, which contains the model's defaults, with the values of opts. The
// compiler ensures that the model has all of these options.
func read[O any](op string, c config, opts []O) *config {
	c.op = op
	c.numClasses, c.initWeights, c.bnSize, c.roundNearest = 1000, true, 4, 8
	c.widthMult, c.layerScale, c.imageSize = 1, 1e-6, 224
	own := c.norm
	for _, o := range opts {
		switch o := any(o).(type) {
		case NumClasses:
			c.numClasses = count(op, "NumClasses", int64(o), 0)
		case WithDropout:
			c.dropout = probability(op, "WithDropout", float64(o))
		case NormLayer:
			if c.norm = o; o == nil {
				c.norm = own
			}
		case StochasticDepthProb:
			c.stochasticDepth = probability(op, "StochasticDepthProb", float64(o))
		case WidthMult:
			if c.widthMult = float64(o); !(o >= 0) || math.IsInf(float64(o), 1) {
				panic(torch.NewError(op, torch.ErrValue, "WidthMult",
					fmt.Sprintf("expected a number that is not negative, got %v", float64(o))))
			}
		case InitWeights:
			c.initWeights = bool(o)
		case ZeroInitResidual:
			c.zeroInit = bool(o)
		case Groups:
			c.groups = count(op, "Groups", int64(o), 1)
		case WidthPerGroup:
			c.widthPerGroup = count(op, "WidthPerGroup", int64(o), 1)
		case ReplaceStrideWithDilation:
			c.dilate = o
		case BNSize:
			c.bnSize = count(op, "BNSize", int64(o), 1)
		case DropRate:
			c.dropRate = probability(op, "DropRate", float64(o))
		case InvertedResidualSetting:
			c.residuals = o
		case RoundNearest:
			c.roundNearest = count(op, "RoundNearest", int64(o), 1)
		case ReducedTail:
			c.reducedTail = bool(o)
		case Dilated:
			c.dilated = bool(o)
		case LayerScale:
			c.layerScale = float64(o)
		case ImageSize:
			c.imageSize = count(op, "ImageSize", int64(o), 1)
		case AttentionDropout:
			c.attentionDropout = probability(op, "AttentionDropout", float64(o))
		case RepresentationSize:
			c.representation = count(op, "RepresentationSize", int64(o), 1)
		case ConvStemConfigs:
			c.stem = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return &c
}

// largest is the maximum number of channels. No machine has memory for more, and products
// of numbers up to it do not overflow.
const largest = 1 << 30

func count(op, arg string, n, least int64) int64 {
	if n < least || n > largest {
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected a number from %d to %d, got %d", least, largest, n)))
	}
	return n
}

func probability(op, arg string, p float64) float64 {
	if !(p >= 0 && p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a probability from 0 to 1, got %v", p)))
	}
	return p
}

// divisible rounds a number of channels, v, to a multiple of divisor. The result is at
// least 90% of v.
func divisible(v float64, divisor int64) int64 {
	n := max(divisor, int64(v+float64(divisor)/2)/divisor*divisor)
	if float64(n) < 0.9*v {
		n += divisor
	}
	return n
}

// scaled multiplies channels by a factor and rounds the product as divisible does.
func scaled(channels int64, factor float64, divisor int64) int64 {
	// The outer conversion prevents the compiler from fusing the product with an addition,
	// which would round differently.
	return divisible(float64(float64(channels)*factor), divisor)
}

func batchNorm(channels int64) nn.Layer { return nn.NewBatchNorm2d(channels) }

// batchNormWith returns a function that creates batch normalizations with the given
// options.
func batchNormWith(opts ...nn.BatchNormOption) func(channels int64) nn.Layer {
	return func(channels int64) nn.Layer { return nn.NewBatchNorm2d(channels, opts...) }
}
