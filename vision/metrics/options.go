package metrics

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// A MeanAveragePrecisionOption is [IoUType], [IoUThrs] or [MaxDets].
//
//gotorch:options IoUType IoUThrs MaxDets
type MeanAveragePrecisionOption interface{ meanAveragePrecisionOption() }

// IoUType says what is compared; iouType in pycocotools. The default is IoUTypeBBox. Any other string
// causes ErrValue.
type IoUType string

// These are the kinds of objects to compare.
const (
	IoUTypeBBox IoUType = "bbox" // boxes
	IoUTypeSegm IoUType = "segm" // masks
)

// IoUThrs are the least overlaps at which a detection counts as found, over which precision and recall
// are averaged; params.iouThrs in pycocotools. They are intersections over unions, from 0 to 1. The
// default is 0.5, 0.55, ..., 0.95.
type IoUThrs []float64

// MaxDets are three largest numbers of detections for each image and class, in rising order;
// params.maxDets in pycocotools. The default is MaxDets{1, 10, 100}. Numbers that are not positive or
// do not rise cause ErrValue.
type MaxDets [3]int

func (m *MeanAveragePrecision) read(op string, opts []MeanAveragePrecisionOption) {
	for _, o := range opts {
		switch o := o.(type) {
		case IoUType:
			if m.kind = o; o != IoUTypeBBox && o != IoUTypeSegm {
				panic(torch.NewError(op, torch.ErrValue, "IoUType",
					fmt.Sprintf("expected bbox or segm, got %q", string(o))))
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
			if m.most = o; o[0] < 1 || o[1] <= o[0] || o[2] <= o[1] {
				panic(torch.NewError(op, torch.ErrValue, "MaxDets",
					fmt.Sprintf("expected rising positive numbers, got %v", [3]int(o))))
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
}
