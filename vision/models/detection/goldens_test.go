package detection_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models/detection"
)

// goldens contains what testdata/make_detection.py wrote to testdata/detection.json.
type goldens struct {
	Models map[string]struct {
		Parameters      int64
		Layout, Printed string
	}
	Weights []detection.Weights
	Cases   []goldenCase
}

type goldenCase struct {
	Model   string
	Options map[string]json.RawMessage
	Factor  float64
	CRC     string
	Losses  [][2]any
	Grads   []float64
	Found   []map[string][]float64
}

func load(t testing.TB) (g goldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/detection.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// layout lists the tensors of a state dict as the script does.
func layout(m nn.Module) string {
	var s strings.Builder
	for _, n := range m.ModuleBase().StateDict() {
		fmt.Fprintf(&s, "%s [%s] %v\n", n.Name,
			strings.Trim(strings.ReplaceAll(fmt.Sprint([]int64(n.Tensor.Shape())), " ", ", "), "[]"), n.Tensor.DType())
	}
	return s.String()
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// Every model has the same tensors as in torchvision, with the same names, order, shapes and dtypes. It also
// prints the same text.
func TestLayouts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := load(t)
	require.Len(t, detection.ListModels(), len(g.Models))
	for _, name := range detection.ListModels() {
		torch.WithDevice(torch.Meta, func() {
			m, err := detection.GetModel(name)
			require.NoError(t, err, name)
			defer m.ModuleBase().Close()
			var parameters int64
			for _, p := range m.ModuleBase().Parameters() {
				parameters += p.Numel()
			}
			want := g.Models[name]
			assert.Equal(t, want.Parameters, parameters, name)
			assert.Equal(t, want.Layout, hashed(layout(m)),
				"%s: make_detection.py %s prints what ought to be there, not\n%.1000s", name, name, layout(m))
			assert.Equal(t, want.Printed, hashed(fmt.Sprint(m)),
				"%s: make_detection.py %s prints what ought to be there, not\n%.1000s", name, name, m)
		})
	}
}

// The files of weights are torchvision's.
func TestWeights(t *testing.T) {
	for _, want := range load(t).Weights {
		all, err := detection.GetModelWeights(want.Model)
		require.NoError(t, err)
		found := false
		for _, w := range all {
			w.ZeroEps = false // it is not an attribute in Python
			found = found || w == want
		}
		assert.True(t, found, "%+v is not in %+v", want, all)
	}
	w, err := detection.GetWeight("SSD300_VGG16_Weights.COCO_V1")
	require.NoError(t, err)
	assert.Equal(t, "ssd300_vgg16", w.Model)
	_, err = detection.GetWeight("SSD300_VGG16_Weights.COCO_V2")
	require.ErrorIs(t, err, torch.ErrValue)
	_, err = detection.GetModelWeights("resnet18")
	require.ErrorIs(t, err, torch.ErrValue)
}

// options returns the options of a case.
func (c goldenCase) options(t *testing.T) (opts []detection.Option) {
	t.Helper()
	for name, raw := range c.Options {
		var list []int64
		if json.Unmarshal(raw, &list) == nil {
			opts = append(opts, detection.MinSizes(list))
			continue
		}
		var f float64
		require.NoError(t, json.Unmarshal(raw, &f))
		n := int64(f)
		o, ok := map[string]detection.Option{
			"num_classes": detection.NumClasses(n), "min_size": detection.MinSize(n), "max_size": detection.MaxSize(n),
			"rpn_batch_size_per_image": detection.RPNBatchSizePerImage(n),
			"box_batch_size_per_image": detection.BoxBatchSizePerImage(n),
			"rpn_pre_nms_top_n_train":  detection.RPNPreNMSTopNTrain(n),
			"rpn_pre_nms_top_n_test":   detection.RPNPreNMSTopNTest(n),
			"box_detections_per_img":   detection.BoxDetectionsPerImg(n),
			"detections_per_img":       detection.DetectionsPerImg(n),
			"topk_candidates":          detection.TopKCandidates(n),
			"score_thresh":             detection.ScoreThresh(f),
			"rpn_score_thresh":         detection.RPNScoreThresh(f),
			"num_keypoints":            detection.NumKeypoints(n),
		}[name]
		require.True(t, ok, name)
		opts = append(opts, o)
	}
	return opts
}

// sumOf returns the checksum of a tensor's memory.
func sumOf(t *torch.Tensor) uint32 {
	switch t.DType() {
	case torch.Int64:
		return sumOfSlice(t.Int64s())
	default:
		return sumOfSlice(t.Float32s())
	}
}

func sumOfSlice[T any](v []T) uint32 {
	if len(v) == 0 {
		return 0
	}
	return crc32.ChecksumIEEE(unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0]))))
}

// drawsAlike reports whether random numbers are bitwise those of the goldens' processor.
func drawsAlike() (alike bool) {
	torch.Scope(func() {
		torch.ManualSeed(7)
		alike = sumOf(torch.Empty(torch.Shape{5000}).Normal_(0, 0.02)) == 2382390411
	})
	return alike
}

var last = regexp.MustCompile("cls_logits|cls_score|bbox|module_list|mask_fcn_logits|kps_score")

// fill sets parameters to values that are not random, as the script does.
func (c goldenCase) fill(m nn.Module) {
	for i, p := range m.ModuleBase().NamedParameters() {
		torch.Scope(func() {
			torch.NoGrad(func() {
				n, shape := p.Tensor.Numel(), p.Tensor.Shape()
				u := torch.Arange(n).MulScalar(7919).AddScalar(11 * i).RemainderScalar(10007).Double().DivScalar(10007).
					SubScalar(0.5)
				switch {
				case len(shape) > 1:
					u.MulScalar_(math.Sqrt(24 / float64(n/shape[0])))
				case strings.HasSuffix(p.Name, "weight"):
					u.DivScalar_(4).AddScalar_(1)
				default:
					u.DivScalar_(4)
				}
				if last.MatchString(p.Name) {
					u.MulScalar_(c.Factor)
				}
				p.Tensor.Copy_(u.Reshape(shape...))
			})
		})
	}
}

func images() []*torch.Tensor {
	image := func(h, w, k int64) *torch.Tensor {
		return torch.Arange(3*h*w).MulScalar(k).RemainderScalar(101).Double().DivScalar(101).Reshape(3, h, w)
	}
	return []*torch.Tensor{image(48, 64, 37), image(60, 40, 23)}
}

// targets returns the targets of the script.
func targets(classes, points int64) []detection.Target {
	one := func(boxes []float64, labels []int64, h, w int64) detection.Target {
		n := int64(len(labels))
		masks := torch.Zeros(torch.Shape{n, h, w}, torch.Uint8)
		var keypoints []float32
		for i := range n {
			b := boxes[4*i:]
			masks.Select(0, i).Narrow(0, int64(b[1])+1, int64(b[3])-int64(b[1])-1).
				Narrow(1, int64(b[0]), int64(b[2])-int64(b[0])).Fill_(1)
			for k := range points {
				at := func(k int64) float32 { return float32(k) / float32(points-1) }
				x1, y1, x2, y2 := float32(b[0]), float32(b[1]), float32(b[2]), float32(b[3])
				visible := float32(0)
				if k%3 > 0 {
					visible = 1
				}
				keypoints = append(keypoints, x1+float32((x2-x1)*at(k)), y1+float32((y2-y1)*at(points-1-k)), visible)
			}
		}
		return detection.Target{
			Boxes: torch.FromSlice(boxes, n, 4), Labels: torch.FromSlice(labels).Clamp(nil, classes-1), Masks: masks,
			Keypoints: torch.FromSlice(keypoints, n, points, 3),
		}
	}
	return []detection.Target{
		one([]float64{4, 6, 30, 40, 20, 10, 60, 45}, []int64{1, 3}, 48, 64),
		one([]float64{5, 5, 35, 50}, []int64{2}, 60, 40),
	}
}

// quick are the cases that do not need a thorough run.
var quick = map[string]bool{
	"retinanet_resnet50_fpn": true, "fcos_resnet50_fpn": true, "ssdlite320_mobilenet_v3_large": true,
	"maskrcnn_resnet50_fpn": true, "fasterrcnn_mobilenet_v3_large_fpn": true, "keypointrcnn_resnet50_fpn": true,
}

// Models have torchvision's initial values, losses, gradients and detections.
func TestCases(t *testing.T) {
	alike := drawsAlike()
	for _, c := range load(t).Cases {
		if !quick[c.Model] && !thorough.Asked() {
			continue
		}
		t.Run(c.Model, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			c.check(t, alike)
		})
	}
}

// In mixed precision, losses are torchvision's too. Default boxes that are rounded differently change the
// loss of boxes by more than a percent.
func TestAutocast(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/autocast.json")
	require.NoError(t, err)
	var c goldenCase
	require.NoError(t, json.Unmarshal(text, &c))
	m, err := detection.GetModel(c.Model, c.options(t)...)
	require.NoError(t, err)
	defer m.ModuleBase().Close()
	c.fill(m)
	torch.Scope(func() {
		var pictures []*torch.Tensor
		for _, x := range images() {
			pictures = append(pictures, x.Float())
		}
		wanted := []detection.Target{
			{Boxes: torch.FromSlice([]float32{37, 27, 63, 47}, 1, 4), Labels: torch.FromSlice([]int64{1})},
			{Boxes: torch.FromSlice([]float32{23, 32, 39, 59}, 1, 4), Labels: torch.FromSlice([]int64{2})},
		}
		var losses detection.Losses
		amp.Autocast(torch.CPU, 0, func() { losses = m.Losses(pictures, wanted) })
		for _, want := range c.Losses {
			assert.InEpsilon(t, want[1], losses.Get(want[0].(string)).Item(), 1.0/256, want[0])
		}
	})
}

func (c goldenCase) check(t *testing.T, alike bool) {
	torch.ManualSeed(0)
	m, err := detection.GetModel(c.Model, c.options(t)...)
	require.NoError(t, err)
	defer m.ModuleBase().Close()
	if alike {
		var sums []string
		torch.Scope(func() {
			for _, n := range m.ModuleBase().StateDict() {
				sums = append(sums, fmt.Sprint(sumOf(n.Tensor)))
			}
		})
		assert.Equal(t, c.CRC, hashed(strings.Join(sums, " ")), "initial values")
	}
	m.ModuleBase().To(torch.Float64)
	c.fill(m)
	var classes, points int64 = 0, 5
	for _, o := range c.options(t) {
		switch o := o.(type) {
		case detection.NumClasses:
			classes = int64(o)
		case detection.NumKeypoints:
			points = int64(o)
		}
	}
	torch.Scope(func() {
		torch.ManualSeed(1)
		losses := m.Losses(images(), targets(classes, points))
		require.Len(t, losses, len(c.Losses))
		for _, want := range c.Losses {
			assert.InEpsilon(t, want[1], losses.Get(want[0].(string)).Item(), 1e-6, want[0])
		}
		losses.Sum().Backward()
		for i, p := range m.ModuleBase().NamedParameters() {
			got := p.Tensor.Grad().Abs().Sum().Item()
			assert.InDelta(t, c.Grads[i], got, 1e-6*(1+math.Abs(c.Grads[i])), p.Name)
		}
	})
	m.ModuleBase().Eval()
	torch.Scope(func() {
		torch.NoGrad(func() {
			found := m.Detect(images())
			require.Len(t, found, len(c.Found))
			for i, d := range found {
				want := c.Found[i]
				near := func(name string, x *torch.Tensor) {
					if x == nil {
						assert.NotContains(t, want, name)
						return
					}
					got := x.Double().Flatten().Float64s()
					require.Len(t, got, len(want[name]), name)
					for k := range got {
						assert.InDelta(t, want[name][k], got[k], 1e-4*(1+math.Abs(want[name][k])), "%s %d", name, k)
					}
				}
				near("labels", d.Labels)
				near("scores", d.Scores)
				near("boxes", d.Boxes)
				near("keypoints", d.Keypoints)
				near("keypoints_scores", d.KeypointsScores)
				if d.Masks != nil {
					near("masks", d.Masks.Sum(torch.Dims{1, 2, 3}))
				}
			}
		})
	})
}
