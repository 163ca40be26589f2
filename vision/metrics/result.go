package metrics

import (
	"fmt"
	"strings"
)

// Result contains average precisions (AP) and average recalls (AR). A number is -1 if there are no
// targets that it could be about.
type Result struct {
	AP         float64 // the mean over all IoUThrs
	AP50, AP75 float64 // for the thresholds 0.5 and 0.75; -1 if they are not in IoUThrs
	// For objects with areas of less than 32 x 32 pixels, up to 96 x 96, and more.
	APSmall, APMedium, APLarge float64
	AR1, AR10, AR100           float64 // for the three MaxDets, by default 1, 10 and 100 detections
	ARSmall, ARMedium, ARLarge float64

	Classes []int64   // the classes of the targets
	ClassAP []float64 // the AP of each of the Classes

	thresholds []float64
	most       MaxDets
}

// Stats returns the twelve numbers in the order of COCOeval.stats.
func (r Result) Stats() [12]float64 {
	return [12]float64{
		r.AP, r.AP50, r.AP75, r.APSmall, r.APMedium, r.APLarge,
		r.AR1, r.AR10, r.AR100, r.ARSmall, r.ARMedium, r.ARLarge,
	}
}

// String returns the table that COCOeval.summarize prints.
func (r Result) String() string {
	var b strings.Builder
	all := "0.00:0.00"
	if n := len(r.thresholds); n > 0 {
		all = fmt.Sprintf("%.2f:%.2f", r.thresholds[0], r.thresholds[n-1])
	}
	names := [12]struct {
		iou, area string
		most      int
	}{
		{all, "all", r.most[2]},
		{"0.50", "all", r.most[2]},
		{"0.75", "all", r.most[2]},
		{all, "small", r.most[2]},
		{all, "medium", r.most[2]},
		{all, "large", r.most[2]},
		{all, "all", r.most[0]},
		{all, "all", r.most[1]},
		{all, "all", r.most[2]},
		{all, "small", r.most[2]},
		{all, "medium", r.most[2]},
		{all, "large", r.most[2]},
	}
	for i, v := range r.Stats() {
		title := "Average Precision  (AP)"
		if i >= 6 {
			title = "Average Recall     (AR)"
		}
		fmt.Fprintf(&b, " %s @[ IoU=%-9s | area=%6s | maxDets=%3d ] = %.3f\n", title, names[i].iou, names[i].area,
			names[i].most, v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
