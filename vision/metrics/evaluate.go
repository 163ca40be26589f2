package metrics

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"
)

// The ranges of areas: all, small, medium and large objects.
var areas = [4][2]float64{{0, 1e10}, {0, 32 * 32}, {32 * 32, 96 * 96}, {96 * 96, 1e10}}

// evaluation is the result for the detections of a class in an image, for one range of areas.
type evaluation struct {
	scores           []float64 // of the detections, falling
	matched, ignored [][]bool  // by threshold and detection
	wanted           int       // the number of targets that count
}

// evaluate matches the detections of a class in an image with its targets.
func (m *MeanAveragePrecision) evaluate(found, wanted []object, overlaps [][]float64, area [2]float64) *evaluation {
	e := &evaluation{}
	outside := func(o *object) bool { return o.area < area[0] || o.area > area[1] }
	// Targets that count come first.
	order := make([]int, 0, len(wanted))
	ignore := make([]bool, len(wanted))
	for i := range wanted {
		if ignore[i] = wanted[i].crowd || wanted[i].empty || outside(&wanted[i]); !ignore[i] {
			order = append(order, i)
		}
	}
	e.wanted = len(order)
	for i := range wanted {
		if ignore[i] {
			order = append(order, i)
		}
	}
	for _, d := range found {
		e.scores = append(e.scores, d.score)
	}
	for _, threshold := range m.thresholds {
		taken := make([]bool, len(wanted))
		matched, ignored := make([]bool, len(found)), make([]bool, len(found))
		for i := range found {
			best, at := math.Min(threshold, 1-1e-10), -1
			for _, j := range order {
				if taken[j] && !wanted[j].crowd {
					continue
				}
				if at >= 0 && !ignore[at] && ignore[j] {
					break // a target that counts is better than one that does not
				}
				if overlaps[i][j] < best {
					continue
				}
				best, at = overlaps[i][j], j
			}
			if at >= 0 {
				matched[i], ignored[i], taken[at] = true, ignore[at], true
			} else {
				ignored[i] = outside(&found[i])
			}
		}
		e.matched, e.ignored = append(e.matched, matched), append(e.ignored, ignored)
	}
	return e
}

// curve is the precision of a class at each recall, and the largest recall, by threshold.
type curve struct {
	precision [][]float64
	recall    []float64
}

// accumulate joins the results of all images for at most the given number of detections in each. It
// returns nil if there are no targets.
func (m *MeanAveragePrecision) accumulate(list []*evaluation, most int) *curve {
	type detection struct {
		e         *evaluation
		i, number int
		score     float64
	}
	var all []detection
	wanted := 0
	for _, e := range list {
		wanted += e.wanted
		for i := range min(most, len(e.scores)) {
			all = append(all, detection{e, i, len(all), e.scores[i]})
		}
	}
	if wanted == 0 {
		return nil
	}
	// Much faster than a stable sort, for which it has the same result.
	slices.SortFunc(all, func(a, b detection) int {
		return cmp.Or(falling(a.score, b.score), cmp.Compare(a.number, b.number))
	})
	c := &curve{}
	for t := range m.thresholds {
		recalls, precisions := make([]float64, len(all)), make([]float64, len(all))
		right, wrong := 0.0, 0.0
		for k, d := range all {
			switch {
			case d.e.ignored[t][d.i]:
			case d.e.matched[t][d.i]:
				right++
			default:
				wrong++
			}
			recalls[k] = right / float64(wanted)
			precisions[k] = right / (wrong + right + 0x1p-52)
		}
		for k := len(all) - 1; k > 0; k-- {
			precisions[k-1] = math.Max(precisions[k-1], precisions[k])
		}
		row := make([]float64, len(m.recalls))
		for r, recall := range m.recalls {
			if k := sort.SearchFloat64s(recalls, recall); k < len(all) {
				row[r] = precisions[k]
			}
		}
		last := 0.0
		if len(all) > 0 {
			last = recalls[len(all)-1]
		}
		c.precision, c.recall = append(c.precision, row), append(c.recall, last)
	}
	return c
}

// Compute returns the precision and recall for all images.
func (m *MeanAveragePrecision) Compute() Result {
	m.mustBeMade("metrics.MeanAveragePrecision.Compute")
	r := Result{thresholds: slices.Clone(m.thresholds), most: m.most, keypoints: m.kind == IoUTypeKeypoints}
	var curves [4][3][]*curve // by area, number of detections and class
	classes := m.byClass()
	for _, label := range slices.Sorted(maps.Keys(classes)) {
		var lists [4][]*evaluation
		for _, p := range classes[label] {
			byScore(p.found)
			found := p.found[:min(len(p.found), m.most[2])]
			overlaps := m.overlaps(found, p.wanted)
			for a, area := range areas {
				lists[a] = append(lists[a], m.evaluate(found, p.wanted, overlaps, area))
			}
		}
		for a := range areas {
			for d, most := range m.most {
				if c := m.accumulate(lists[a], most); c != nil {
					curves[a][d] = append(curves[a][d], c)
					if a == 0 && d == 2 {
						r.Classes = append(r.Classes, label)
						r.ClassAP = append(r.ClassAP, m.precision([]*curve{c}, -1))
					}
				}
			}
		}
	}
	all := curves[0][2]
	r.AP, r.AP50, r.AP75 = m.precision(all, -1), m.precision(all, 0.5), m.precision(all, 0.75)
	r.AR, r.AR50, r.AR75 = m.recall(all, -1), m.recall(all, 0.5), m.recall(all, 0.75)
	r.APMedium, r.APLarge = m.precision(curves[2][2], -1), m.precision(curves[3][2], -1)
	r.ARMedium, r.ARLarge = m.recall(curves[2][2], -1), m.recall(curves[3][2], -1)
	if r.keypoints {
		r.APSmall, r.AR1, r.AR10, r.AR100, r.ARSmall = -1, -1, -1, -1, -1
		return r
	}
	r.AR1, r.AR10, r.AR100 = m.recall(curves[0][0], -1), m.recall(curves[0][1], -1), r.AR
	r.APSmall, r.ARSmall = m.precision(curves[1][2], -1), m.recall(curves[1][2], -1)
	return r
}

// precision returns the mean over all classes and recalls, and over all thresholds or, unless it is
// negative, for one threshold. It returns -1 if there is nothing.
func (m *MeanAveragePrecision) precision(curves []*curve, threshold float64) float64 {
	sum, n := 0.0, 0
	for t, v := range m.thresholds {
		if threshold >= 0 && v != threshold {
			continue
		}
		for _, c := range curves {
			for _, p := range c.precision[t] {
				sum += p
				n++
			}
		}
	}
	return mean(sum, n)
}

// recall returns the mean over all classes, and over all thresholds or, unless it is negative, for one
// threshold. It returns -1 if there is nothing.
func (m *MeanAveragePrecision) recall(curves []*curve, threshold float64) float64 {
	sum, n := 0.0, 0
	for t, v := range m.thresholds {
		if threshold >= 0 && v != threshold {
			continue
		}
		for _, c := range curves {
			sum += c.recall[t]
			n++
		}
	}
	return mean(sum, n)
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return -1
	}
	return sum / float64(n)
}
