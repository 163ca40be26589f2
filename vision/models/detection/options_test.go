package detection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models/detection"
)

// row returns the row for a constructor in the options test. The test compares the printed models, their
// tensors and which of them are trained, on the meta device.
func row[O any, M nn.Module](constructor func(opts ...O) M, pairs ...optiontest.Pair) optiontest.Row {
	return optiontest.For(func(opts ...O) (out optiontest.Outcome) {
		torch.WithDevice(torch.Meta, func() {
			m := constructor(opts...)
			defer m.ModuleBase().Close()
			var s strings.Builder
			fmt.Fprint(&s, m, layout(m))
			for _, p := range m.ModuleBase().NamedParameters() {
				if !p.Tensor.RequiresGrad() {
					s.WriteString(p.Name)
				}
			}
			out = optiontest.Outcome{"model": s.String()}
		})
		return out
	}, pairs...)
}

// TestOptions tests each option of each constructor alone, after a different value, and next to a nil option.
// Most models are tested only in thorough runs, because they read options with the same code as the others.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values, refused := optiontest.Values, optiontest.Refused
	unseen := func(a, b any) optiontest.Pair {
		return values(a, b).Hides("model", "it acts in Losses and Detect")
	}
	type P = []optiontest.Pair
	join := func(lists ...P) (all P) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	general := P{
		values(detection.NumClasses(5), detection.NumClasses(1)), refused(detection.NumClasses(0)),
		values(detection.TrainableBackboneLayers(2), detection.TrainableBackboneLayers(0)),
		refused(detection.TrainableBackboneLayers(7)),
		values(detection.ImageMean{1, 2, 3}, detection.ImageMean{0, 0, 0}), refused(detection.ImageMean{1}),
		values(detection.ImageStd{1, 2, 3}, detection.ImageStd{1, 1, 1}), refused(detection.ImageStd(nil)),
	}
	frozen := P{values(detection.Pretrained(true), detection.Pretrained(false))}
	plain := P{
		unseen(detection.ScoreThresh(0.5), detection.ScoreThresh(0)),
		unseen(detection.NMSThresh(0.9), detection.NMSThresh(0)),
		unseen(detection.DetectionsPerImg(3), detection.DetectionsPerImg(0)), refused(detection.DetectionsPerImg(-1)),
		unseen(detection.TopKCandidates(3), detection.TopKCandidates(0)), refused(detection.TopKCandidates(-1)),
	}
	size := P{
		values(detection.MinSize(100), detection.MinSize(200)), refused(detection.MinSize(0)),
		values(detection.MinSizes{100, 200}, detection.MinSizes{300}), refused(detection.MinSizes(nil)),
		values(detection.MaxSize(2000), detection.MaxSize(900)), refused(detection.MaxSize(0)),
	}
	retina := join(general, frozen, plain, size, P{
		unseen(detection.FGIoUThresh(0.6), detection.FGIoUThresh(0.4)), refused(detection.FGIoUThresh(0)),
		unseen(detection.BGIoUThresh(0.3), detection.BGIoUThresh(0)), refused(detection.BGIoUThresh(0.6)),
	})
	fcos := join(general, frozen, plain, size, P{
		unseen(detection.CenterSamplingRadius(1), detection.CenterSamplingRadius(0)),
	})
	ssd := join(general, frozen, plain, P{
		unseen(detection.IoUThresh(0.3), detection.IoUThresh(0)),
		unseen(detection.PositiveFraction(0.5), detection.PositiveFraction(1)), refused(detection.PositiveFraction(0)),
	})
	lite := join(general, plain, P{
		unseen(detection.Pretrained(true), detection.Pretrained(false)),
		unseen(detection.IoUThresh(0.3), detection.IoUThresh(0)),
		unseen(detection.PositiveFraction(0.5), detection.PositiveFraction(1)), refused(detection.PositiveFraction(0)),
		values(detection.NormLayer(func(n int64) nn.Layer { return nn.NewBatchNorm2d(n, nn.Eps(0.1)) }),
			detection.NormLayer(nil)),
	})
	rcnn := join(general, frozen, size, P{
		unseen(detection.RPNPreNMSTopNTrain(5), detection.RPNPreNMSTopNTrain(0)),
		unseen(detection.RPNPreNMSTopNTest(5), detection.RPNPreNMSTopNTest(0)),
		unseen(detection.RPNPostNMSTopNTrain(5), detection.RPNPostNMSTopNTrain(0)),
		unseen(detection.RPNPostNMSTopNTest(5), detection.RPNPostNMSTopNTest(0)),
		refused(detection.RPNPreNMSTopNTrain(-1)), refused(detection.RPNPreNMSTopNTest(-1)),
		refused(detection.RPNPostNMSTopNTrain(-1)), refused(detection.RPNPostNMSTopNTest(-1)),
		unseen(detection.RPNNMSThresh(0.5), detection.RPNNMSThresh(0)),
		unseen(detection.RPNFGIoUThresh(0.5), detection.RPNFGIoUThresh(0.6)), refused(detection.RPNFGIoUThresh(0.1)),
		unseen(detection.RPNBGIoUThresh(0.5), detection.RPNBGIoUThresh(0)), refused(detection.RPNBGIoUThresh(0.9)),
		unseen(detection.RPNBatchSizePerImage(5), detection.RPNBatchSizePerImage(6)),
		refused(detection.RPNBatchSizePerImage(0)),
		unseen(detection.RPNPositiveFraction(0.1), detection.RPNPositiveFraction(0)),
		refused(detection.RPNPositiveFraction(2)),
		unseen(detection.RPNScoreThresh(0.5), detection.RPNScoreThresh(0)),
		unseen(detection.BoxScoreThresh(0.5), detection.BoxScoreThresh(0)),
		unseen(detection.BoxNMSThresh(0.9), detection.BoxNMSThresh(0)),
		unseen(detection.BoxDetectionsPerImg(5), detection.BoxDetectionsPerImg(0)),
		refused(detection.BoxDetectionsPerImg(-1)),
		unseen(detection.BoxFGIoUThresh(0.6), detection.BoxFGIoUThresh(0.7)), refused(detection.BoxFGIoUThresh(0.1)),
		unseen(detection.BoxBGIoUThresh(0.4), detection.BoxBGIoUThresh(0)), refused(detection.BoxBGIoUThresh(0.9)),
		unseen(detection.BoxBatchSizePerImage(5), detection.BoxBatchSizePerImage(6)),
		refused(detection.BoxBatchSizePerImage(0)),
		unseen(detection.BoxPositiveFraction(0.1), detection.BoxPositiveFraction(0)),
		refused(detection.BoxPositiveFraction(2)),
		unseen(detection.BBoxRegWeights{1, 2, 3, 4}, detection.BBoxRegWeights{}),
	})
	// The normalizations of version 2 are not constant, even in a pretrained model.
	v2 := join(rcnn[:len(general)], rcnn[len(general)+1:],
		P{values(detection.Pretrained(true), detection.Pretrained(false))})
	keypoint := join(rcnn, P{
		values(detection.NumKeypoints(5), detection.NumKeypoints(1)), refused(detection.NumKeypoints(0)),
	})
	foreign := P{
		refused(detection.CenterSamplingRadius(1)), refused(detection.IoUThresh(0)),
		refused(detection.PositiveFraction(1)), refused(detection.NormLayer(nil)), refused(detection.NumKeypoints(3)),
	}
	for _, o := range []detection.Option{
		detection.RPNPreNMSTopNTrain(5), detection.RPNPreNMSTopNTest(5), detection.RPNPostNMSTopNTrain(5),
		detection.RPNPostNMSTopNTest(5), detection.RPNNMSThresh(0.5), detection.RPNFGIoUThresh(0.5),
		detection.RPNBGIoUThresh(0.1), detection.RPNBatchSizePerImage(5), detection.RPNPositiveFraction(0.1),
		detection.RPNScoreThresh(0.5), detection.BoxScoreThresh(0.5), detection.BoxNMSThresh(0.9),
		detection.BoxDetectionsPerImg(5), detection.BoxFGIoUThresh(0.6), detection.BoxBGIoUThresh(0.4),
		detection.BoxBatchSizePerImage(5), detection.BoxPositiveFraction(0.1),
		detection.BBoxRegWeights{1, 2, 3, 4},
	} {
		foreign = append(foreign, refused(o))
	}
	rows := map[string]optiontest.Row{
		"NewRetinaNetResNet50FPN":          row(detection.NewRetinaNetResNet50FPN, retina...),
		"NewFasterRCNNMobileNetV3LargeFPN": row(detection.NewFasterRCNNMobileNetV3LargeFPN, rcnn...),
		"NewSSDLite320MobileNetV3Large":    row(detection.NewSSDLite320MobileNetV3Large, lite...),
		"GetModel": row(func(opts ...detection.Option) nn.Module {
			m, err := detection.GetModel("retinanet_resnet50_fpn", opts...)
			if err != nil {
				panic(err)
			}
			return m
		}, join(retina, foreign)...),
	}
	large := map[string]optiontest.Row{
		"NewRetinaNetResNet50FPNV2":           row(detection.NewRetinaNetResNet50FPNV2, retina...),
		"NewFCOSResNet50FPN":                  row(detection.NewFCOSResNet50FPN, fcos...),
		"NewSSD300VGG16":                      row(detection.NewSSD300VGG16, ssd...),
		"NewFasterRCNNResNet50FPN":            row(detection.NewFasterRCNNResNet50FPN, rcnn...),
		"NewFasterRCNNResNet50FPNV2":          row(detection.NewFasterRCNNResNet50FPNV2, v2...),
		"NewFasterRCNNMobileNetV3Large320FPN": row(detection.NewFasterRCNNMobileNetV3Large320FPN, rcnn...),
		"NewMaskRCNNResNet50FPN":              row(detection.NewMaskRCNNResNet50FPN, rcnn...),
		"NewMaskRCNNResNet50FPNV2":            row(detection.NewMaskRCNNResNet50FPNV2, v2...),
		"NewKeypointRCNNResNet50FPN":          row(detection.NewKeypointRCNNResNet50FPN, keypoint...),
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
	s := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/vision/models/detection"}}
	s.Accepts(t, "detection.NewRetinaNetResNet50FPN(detection.NumClasses(10), detection.ScoreThresh(0.5))",
		`detection.GetModel("ssd300_vgg16", detection.IoUThresh(0.5))`)
	s.Rejects(t, "detection.NewRetinaNetResNet50FPN(detection.BoxScoreThresh(0.1))",
		"detection.NewSSD300VGG16(detection.MinSize(300))",
		"detection.NewMaskRCNNResNet50FPN(detection.NumKeypoints(3))", "detection.NewFCOSResNet50FPN(10)")
}
