package models_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/internal/modeltest"
	"github.com/gotorch/gotorch/vision/models"
)

// row returns the row for a constructor in the options test. The test compares the
// printed models and their tensors, on the meta device.
func row[O any, M nn.Module](constructor func(opts ...O) M, pairs ...optiontest.Pair) optiontest.Row {
	return optiontest.For(func(opts ...O) (out optiontest.Outcome) {
		torch.WithDevice(torch.Meta, func() {
			m := constructor(opts...)
			defer m.Close()
			out = optiontest.Outcome{"model": m.String() + modeltest.Layout(m)}
		})
		return out
	}, pairs...)
}

// TestOptions tests each option of each constructor alone, after a different value, and
// next to a nil option. Large models are tested only in thorough runs, because they read
// options with the same code as the other models.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values, refused := optiontest.Values, optiontest.Refused
	unseen := func(a, b any) optiontest.Pair {
		return values(a, b).Hides("model", "it changes values alone, which TestCases compares")
	}
	type P = []optiontest.Pair
	classes := P{values(models.NumClasses(5), models.NumClasses(0)), refused(models.NumClasses(-1))}
	dropout := P{
		values(models.WithDropout(0.1), models.WithDropout(0)), refused(models.WithDropout(1.1)),
		refused(models.WithDropout(-1)),
	}
	norm := P{values(groupNorm, models.NormLayer(nil))}
	depth := P{
		values(models.StochasticDepthProb(0), models.StochasticDepthProb(0.9)),
		refused(models.StochasticDepthProb(2)),
	}
	width := P{values(models.WidthMult(0.5), models.WidthMult(0)), refused(models.WidthMult(-1))}
	join := func(lists ...P) (all P) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	vgg := join(classes, dropout, P{unseen(models.InitWeights(false), models.InitWeights(true))})
	dilation := models.ReplaceStrideWithDilation{true, true, false}
	residual := join(classes, norm,
		P{
			unseen(models.ZeroInitResidual(true), models.ZeroInitResidual(false)), refused(models.Groups(0)),
			refused(models.WidthPerGroup(0)),
		})
	basic := join(residual, P{refused(models.Groups(2)), refused(models.WidthPerGroup(32)), refused(dilation)})
	deep := join(residual, P{values(dilation, models.ReplaceStrideWithDilation{})})
	bottleneck := join(deep,
		P{values(models.Groups(2), models.Groups(1)), values(models.WidthPerGroup(32), models.WidthPerGroup(64))})
	wide := join(deep, P{values(models.Groups(2), models.Groups(1)), refused(models.WidthPerGroup(64))})
	next := join(deep, P{refused(models.Groups(1)), refused(models.WidthPerGroup(64))})
	squeeze := join(classes[1:], P{values(models.NumClasses(5), models.NumClasses(6))}, dropout)
	dense := join(classes, P{
		values(models.BNSize(2), models.BNSize(4)), refused(models.BNSize(0)),
		unseen(models.DropRate(0.1), models.DropRate(0)), refused(models.DropRate(-1)),
	})
	mobile2 := join(classes, dropout, norm, width, P{
		values(models.RoundNearest(64), models.RoundNearest(1)), refused(models.RoundNearest(0)),
		values(models.InvertedResidualSetting{{1, 8, 1, 2}}, models.InvertedResidualSetting(nil)),
		refused(models.InvertedResidualSetting{}), refused(models.InvertedResidualSetting{{1, 8, 1, 3}}),
	})
	mobile3 := join(classes, dropout, norm, width, P{
		values(models.ReducedTail(true), models.ReducedTail(false)),
		values(models.Dilated(true), models.Dilated(false)),
	})
	efficient := join(classes, dropout, norm, depth)
	convnext := join(classes, norm, depth, P{unseen(models.LayerScale(1), models.LayerScale(0))})
	vit := join(classes, dropout, norm, P{
		values(models.ImageSize(448), models.ImageSize(224)), refused(models.ImageSize(100)),
		refused(models.ImageSize(0)),
		unseen(models.AttentionDropout(0.1), models.AttentionDropout(0)), refused(models.AttentionDropout(1.5)),
		values(models.RepresentationSize(5), models.RepresentationSize(7)), refused(models.RepresentationSize(0)),
		values(models.ConvStemConfigs{{OutChannels: 8, KernelSize: 3, Stride: 2}}, models.ConvStemConfigs(nil)),
		refused(models.ConvStemConfigs{{OutChannels: 8}}),
	})
	foreign := P{ // options that belong to other models
		refused(models.InitWeights(true)), refused(models.ZeroInitResidual(false)), refused(models.Groups(1)),
		refused(models.WidthPerGroup(64)),
		refused(models.ReplaceStrideWithDilation{}), refused(models.BNSize(4)), refused(models.DropRate(0)),
		refused(models.WidthMult(1)),
		refused(models.InvertedResidualSetting(nil)), refused(models.RoundNearest(8)),
		refused(models.ReducedTail(false)), refused(models.Dilated(false)),
		refused(models.StochasticDepthProb(0)), refused(models.LayerScale(1)),
	}
	rows := map[string]optiontest.Row{
		"NewAlexNet":            row(models.NewAlexNet, join(classes, dropout)...),
		"NewVGG11":              row(models.NewVGG11, vgg...),
		"NewVGG11BN":            row(models.NewVGG11BN, vgg...),
		"NewResNet18":           row(models.NewResNet18, basic...),
		"NewResNet50":           row(models.NewResNet50, bottleneck...),
		"NewResNeXt50_32x4d":    row(models.NewResNeXt50_32x4d, next...),
		"NewWideResNet50_2":     row(models.NewWideResNet50_2, wide...),
		"NewSqueezeNet1_0":      row(models.NewSqueezeNet1_0, squeeze...),
		"NewSqueezeNet1_1":      row(models.NewSqueezeNet1_1, squeeze...),
		"NewDenseNet121":        row(models.NewDenseNet121, dense...),
		"NewMobileNetV2":        row(models.NewMobileNetV2, mobile2...),
		"NewMobileNetV3Small":   row(models.NewMobileNetV3Small, mobile3...),
		"NewEfficientNetB0":     row(models.NewEfficientNetB0, efficient...),
		"NewConvNeXtTiny":       row(models.NewConvNeXtTiny, convnext...),
		"NewViTB32":             row(models.NewViTB32, vit...),
		"InterpolateEmbeddings": interpolated(),
		"GetModel": row(func(opts ...models.Option) nn.Layer {
			m, err := models.GetModel("vit_b_32", opts...)
			if err != nil {
				panic(err)
			}
			return m
		}, join(vit, foreign)...),
	}
	large := map[string]optiontest.Row{
		"NewVGG13": row(models.NewVGG13, vgg...), "NewVGG13BN": row(models.NewVGG13BN, vgg...),
		"NewVGG16": row(models.NewVGG16, vgg...), "NewVGG16BN": row(models.NewVGG16BN, vgg...),
		"NewVGG19": row(models.NewVGG19, vgg...), "NewVGG19BN": row(models.NewVGG19BN, vgg...),
		"NewResNet34":         row(models.NewResNet34, basic...),
		"NewResNet101":        row(models.NewResNet101, bottleneck...),
		"NewResNet152":        row(models.NewResNet152, bottleneck...),
		"NewResNeXt101_32x8d": row(models.NewResNeXt101_32x8d, next...),
		"NewResNeXt101_64x4d": row(models.NewResNeXt101_64x4d, next...),
		"NewWideResNet101_2":  row(models.NewWideResNet101_2, wide...),
		"NewDenseNet161":      row(models.NewDenseNet161, dense...),
		"NewDenseNet169":      row(models.NewDenseNet169, dense...),
		"NewDenseNet201":      row(models.NewDenseNet201, dense...),
		"NewMobileNetV3Large": row(models.NewMobileNetV3Large, mobile3...),
		"NewEfficientNetB1":   row(models.NewEfficientNetB1, efficient...),
		"NewEfficientNetB2":   row(models.NewEfficientNetB2, efficient...),
		"NewEfficientNetB3":   row(models.NewEfficientNetB3, efficient...),
		"NewEfficientNetB4":   row(models.NewEfficientNetB4, efficient...),
		"NewEfficientNetB5":   row(models.NewEfficientNetB5, efficient...),
		"NewEfficientNetB6":   row(models.NewEfficientNetB6, efficient...),
		"NewEfficientNetB7":   row(models.NewEfficientNetB7, efficient...),
		"NewEfficientNetV2S":  row(models.NewEfficientNetV2S, efficient...),
		"NewEfficientNetV2M":  row(models.NewEfficientNetV2M, efficient...),
		"NewEfficientNetV2L":  row(models.NewEfficientNetV2L, efficient...),
		"NewConvNeXtSmall":    row(models.NewConvNeXtSmall, convnext...),
		"NewConvNeXtBase":     row(models.NewConvNeXtBase, convnext...),
		"NewConvNeXtLarge":    row(models.NewConvNeXtLarge, convnext...),
		"NewViTB16":           row(models.NewViTB16, vit...), "NewViTL16": row(models.NewViTL16, vit...),
		"NewViTL32": row(models.NewViTL32, vit...), "NewViTH14": row(models.NewViTH14, vit...),
	}
	table := map[string][]string{}
	for _, some := range []map[string]optiontest.Row{rows, large} {
		for name, r := range some {
			table[name] = r.Options()
		}
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) { r.Check(t) })
	}
	if thorough.Asked() {
		for name, r := range large {
			t.Run(name, func(t *testing.T) { r.Check(t) })
		}
	}
	optiontest.Read(t, ".").Complete(t, table)
}

// Passing an option that a constructor does not have is a compile error.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/vision/models"}}
	s.Accepts(t, "models.NewResNet18(models.NumClasses(10), models.ZeroInitResidual(true))",
		"models.NewViTB16(models.ImageSize(384), models.RepresentationSize(10))",
		`models.GetModel("vgg11", models.InitWeights(false))`)
	s.Rejects(t, "models.NewResNet18(models.WithDropout(0.1))", "models.NewVGG11(models.NormLayer(nil))",
		"models.NewResNet18(10)",
		"models.NewDenseNet121(models.WidthMult(1))", "models.NewEfficientNetB0(models.WidthMult(1))",
		`models.GetModel("vgg11", 10)`)
}
