package metrics

import (
	"fmt"
	"strings"
)

// Result contains average precisions (AP) and average recalls (AR). A number is -1 if there are no
// targets that it could be about. For key points, APSmall, ARSmall, AR1, AR10 and AR100 are -1.
type Result struct {
	AP         float64 // the mean over all IoUThrs
	AP50, AP75 float64 // for the thresholds 0.5 and 0.75; -1 if they are not in IoUThrs
	// For objects with areas of less than 32 x 32 pixels, up to 96 x 96, and more.
	APSmall, APMedium, APLarge float64
	AR, AR50, AR75             float64 // as AP, for the largest of MaxDets
	AR1, AR10, AR100           float64 // for the three MaxDets, by default 1, 10 and 100 detections
	ARSmall, ARMedium, ARLarge float64

	Classes []int64   // the classes of the targets
	ClassAP []float64 // the AP of each of the Classes

	thresholds []float64
	most       MaxDets
	keypoints  bool
}

// Stats returns the numbers in the order of COCOeval.stats: twelve, or ten for key points.
func (r Result) Stats() []float64 {
	lines := r.lines()
	list := make([]float64, len(lines))
	for i, l := range lines {
		list[i] = l.value
	}
	return list
}

// line is a line of the table that COCOeval.summarize prints.
type line struct {
	title, iou, area string
	most             int
	value            float64
}

func (r Result) lines() []line {
	const precision, recall = "Average Precision  (AP)", "Average Recall     (AR)"
	every := "0.00:0.00"
	if n := len(r.thresholds); n > 0 {
		every = fmt.Sprintf("%.2f:%.2f", r.thresholds[0], r.thresholds[n-1])
	}
	most := r.most[2]
	if r.keypoints {
		return []line{
			{precision, every, "all", most, r.AP},
			{precision, "0.50", "all", most, r.AP50},
			{precision, "0.75", "all", most, r.AP75},
			{precision, every, "medium", most, r.APMedium},
			{precision, every, "large", most, r.APLarge},
			{recall, every, "all", most, r.AR},
			{recall, "0.50", "all", most, r.AR50},
			{recall, "0.75", "all", most, r.AR75},
			{recall, every, "medium", most, r.ARMedium},
			{recall, every, "large", most, r.ARLarge},
		}
	}
	return []line{
		{precision, every, "all", most, r.AP},
		{precision, "0.50", "all", most, r.AP50},
		{precision, "0.75", "all", most, r.AP75},
		{precision, every, "small", most, r.APSmall},
		{precision, every, "medium", most, r.APMedium},
		{precision, every, "large", most, r.APLarge},
		{recall, every, "all", r.most[0], r.AR1},
		{recall, every, "all", r.most[1], r.AR10},
		{recall, every, "all", most, r.AR100},
		{recall, every, "small", most, r.ARSmall},
		{recall, every, "medium", most, r.ARMedium},
		{recall, every, "large", most, r.ARLarge},
	}
}

// String returns the table that COCOeval.summarize prints.
func (r Result) String() string {
	var b strings.Builder
	for _, l := range r.lines() {
		fmt.Fprintf(&b, " %s @[ IoU=%-9s | area=%6s | maxDets=%3d ] = %.3f\n", l.title, l.iou, l.area, l.most, l.value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
