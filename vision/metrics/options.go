package metrics

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// A MeanAveragePrecisionOption is [IoUType], [IoUThrs], [MaxDets] or [KptOKSSigmas].
//
//gotorch:options IoUType IoUThrs MaxDets KptOKSSigmas
type MeanAveragePrecisionOption interface{ meanAveragePrecisionOption() }

// IoUType says what is compared; iouType in pycocotools. The default is IoUTypeBBox. Any other string
// causes ErrValue.
type IoUType string

// These are the kinds of objects to compare.
const (
	IoUTypeBBox      IoUType = "bbox"      // boxes
	IoUTypeSegm      IoUType = "segm"      // masks
	IoUTypeKeypoints IoUType = "keypoints" // key points, such as the joints of a person
)

// IoUThrs are the least overlaps at which a detection counts as found, over which precision and recall
// are averaged; params.iouThrs in pycocotools. They are intersections over unions, from 0 to 1. The
// default is 0.5, 0.55, ..., 0.95.
type IoUThrs []float64

// MaxDets are three largest numbers of detections for each image and class, in rising order;
// params.maxDets in pycocotools. The default is MaxDets{1, 10, 100}. For key points only the last number
// counts, and the default is 20. Numbers that are not positive or do not rise cause ErrValue.
type MaxDets [3]int

// KptOKSSigmas are the standard deviations of people who labeled each key point, relative to the size of
// the object; params.kpt_oks_sigmas in pycocotools. The default are those of COCO's 17 points of a person,
// from the nose to the ankles. An empty list, and numbers that are not positive, cause ErrValue. The option
// does not apply to boxes and masks: there it causes ErrValue.
type KptOKSSigmas []float64

func (m *MeanAveragePrecision) read(op string, opts []MeanAveragePrecisionOption) {
	most, sigmas := MaxDets{}, KptOKSSigmas(nil)
	for _, o := range opts {
		switch o := o.(type) {
		case IoUType:
			if m.kind = o; o != IoUTypeBBox && o != IoUTypeSegm && o != IoUTypeKeypoints {
				panic(torch.NewError(op, torch.ErrValue, "IoUType",
					fmt.Sprintf("expected bbox, segm or keypoints, got %q", string(o))))
			}
		case IoUThrs:
			if m.thresholds = slices.Clone(o); len(o) == 0 {
				panic(torch.NewError(op, torch.ErrValue, "IoUThrs", "an empty list"))
			}
			for _, v := range o {
				if !(v >= 0 && v <= 1) {
					panic(torch.NewError(op, torch.ErrValue, "IoUThrs",
						fmt.Sprintf("expected numbers from 0 to 1, got %v", v)))
				}
			}
		case MaxDets:
			if most = o; o[0] < 1 || o[1] <= o[0] || o[2] <= o[1] {
				panic(torch.NewError(op, torch.ErrValue, "MaxDets",
					fmt.Sprintf("expected rising positive numbers, got %v", [3]int(o))))
			}
		case KptOKSSigmas:
			if sigmas = slices.Clone(o); len(o) == 0 {
				panic(torch.NewError(op, torch.ErrValue, "KptOKSSigmas", "an empty list"))
			}
			for _, v := range o {
				if !(v > 0 && v <= math.MaxFloat64) {
					panic(torch.NewError(op, torch.ErrValue, "KptOKSSigmas",
						fmt.Sprintf("expected positive numbers, got %v", v)))
				}
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	points := m.kind == IoUTypeKeypoints
	switch {
	case sigmas != nil && !points:
		panic(torch.NewError(op, torch.ErrValue, "KptOKSSigmas",
			fmt.Sprintf("it applies to key points only, but IoUType is %q", string(m.kind))))
	case sigmas != nil:
		m.sigmas = sigmas
	}
	switch {
	case points && most[2] > 0:
		m.most = MaxDets{most[2], most[2], most[2]}
	case points:
		m.most = MaxDets{20, 20, 20}
	case most[2] > 0:
		m.most = most
	}
}
