package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/rle"
)

// Detection is what a detector found in an image.
type Detection struct {
	Boxes     *torch.Tensor // (N, 4): left, top, right and bottom; may be nil for masks and key points
	Scores    *torch.Tensor // (N)
	Labels    *torch.Tensor // (N), the classes, int64
	Masks     *torch.Tensor // (N, H, W), Bool or Uint8: for IoUTypeSegm, pixels other than 0 belong to the object
	Keypoints *torch.Tensor // (N, K, 2) or (N, K, 3): for IoUTypeKeypoints, x, y and a number that does not matter
}

// Target is what is in an image.
type Target struct {
	Boxes  *torch.Tensor // as in a Detection; key points need them too
	Labels *torch.Tensor
	Masks  *torch.Tensor
	// Keypoints are of shape (N, K, 3): x, y and whether the point is labeled, which is a number greater than
	// 0. Objects without labeled points count neither as found nor as missed.
	Keypoints *torch.Tensor
	// IsCrowd is not 0 for regions with several objects, of shape (N): detections there count neither as
	// right nor as wrong. If nil, there are none.
	IsCrowd *torch.Tensor
	// Area has the areas of the objects, of shape (N), which say whether they are small, medium or large. If
	// nil, they are those of the boxes or masks. COCO's annotations have areas of masks. The distances of key
	// points are relative to the area.
	Area *torch.Tensor
}

// MeanAveragePrecision computes the mean average precision and recall of a detector of boxes, masks or key
// points. It is not safe for
// use by several goroutines at once. Follows pycocotools.cocoeval.COCOeval.
type MeanAveragePrecision struct {
	kind       IoUType
	thresholds []float64
	most       MaxDets
	recalls    []float64
	sigmas     []float64 // of the key points
	images     []picture
}

// picture contains the objects in an image.
type picture struct{ found, wanted []object }

// object is a detection or a target.
type object struct {
	label int64
	score float64
	area  float64
	crowd bool
	empty bool       // whether the object has no labeled key points
	box   [4]float64 // left, top, width and height
	mask  rle.Mask
	x, y  []float64 // of the key points
	known []bool    // whether each key point is labeled
}

// NewMeanAveragePrecision returns a MeanAveragePrecision. It panics with ErrNil for a nil option and
// with ErrValue for invalid ones.
func NewMeanAveragePrecision(opts ...MeanAveragePrecisionOption) *MeanAveragePrecision {
	m := &MeanAveragePrecision{
		kind: IoUTypeBBox, thresholds: linspace(0.5, 0.95, 10), most: MaxDets{1, 10, 100},
		recalls: linspace(0, 1, 101), sigmas: cocoSigmas,
	}
	m.read("metrics.NewMeanAveragePrecision", opts)
	return m
}

// linspace returns n numbers from lo to hi, rounded as numpy.linspace rounds them.
func linspace(lo, hi float64, n int) []float64 {
	step := (hi - lo) / float64(n-1)
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(float64(i)*step) + lo
	}
	list[n-1] = hi
	return list
}

func (m *MeanAveragePrecision) mustBeMade(op string) {
	if m == nil || m.thresholds == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver",
			"a nil *metrics.MeanAveragePrecision, or a zero value; make it with metrics.NewMeanAveragePrecision"))
	}
}

// Update adds an image. It copies what it needs: the tensors may be closed afterwards. It panics with
// ErrNil if a tensor that it needs is nil, with ErrShape for other shapes, and with ErrDType for labels
// that are not integers and for masks of other dtypes.
func (m *MeanAveragePrecision) Update(found Detection, wanted Target) {
	const op = "metrics.MeanAveragePrecision.Update"
	m.mustBeMade(op)
	var p picture
	torch.Scope(func() {
		torch.NoGrad(func() {
			r := reader{op: op, kind: m.kind, arg: "found", points: len(m.sigmas)}
			p.found = r.objects(found.Boxes, found.Labels, found.Masks, found.Keypoints)
			r.need("Scores", found.Scores)
			for i, v := range r.numbers("Scores", found.Scores, len(p.found)) {
				p.found[i].score = v
			}
			r.arg = "wanted"
			p.wanted = r.objects(wanted.Boxes, wanted.Labels, wanted.Masks, wanted.Keypoints)
			for i, v := range r.numbers("IsCrowd", wanted.IsCrowd, len(p.wanted)) {
				p.wanted[i].crowd = v != 0
			}
			for i, v := range r.numbers("Area", wanted.Area, len(p.wanted)) {
				p.wanted[i].area = v
			}
		})
	})
	if m.kind == IoUTypeSegm && len(p.found) > 0 && len(p.wanted) > 0 {
		// All masks of a tensor have the same size.
		if a, b := p.found[0].mask, p.wanted[0].mask; a.H != b.H || a.W != b.W {
			panic(torch.NewError(op, torch.ErrShape, "found.Masks",
				fmt.Sprintf("masks of %d x %d, but those of wanted are %d x %d", a.H, a.W, b.H, b.W)))
		}
	}
	m.images = append(m.images, p)
}

// reader reads the tensors of an argument.
type reader struct {
	op, arg string
	kind    IoUType
	points  int // the number of key points of an object
}

func (r *reader) need(name string, t *torch.Tensor) {
	if t == nil {
		panic(torch.NewError(r.op, torch.ErrNil, r.arg+"."+name, "a nil tensor"))
	}
	t.HandleFor(r.op, 0)
}

func (r *reader) wrongShape(name, want string, t *torch.Tensor) {
	panic(torch.NewError(r.op, torch.ErrShape, r.arg+"."+name, fmt.Sprintf("expected %s, got %v", want, t.Shape())))
}

// numbers returns the numbers of a tensor of shape (n), or nil for a nil tensor.
func (r *reader) numbers(name string, t *torch.Tensor, n int) []float64 {
	if t == nil {
		return nil
	}
	r.need(name, t)
	if shape := t.Shape(); len(shape) != 1 || shape[0] != int64(n) {
		r.wrongShape(name, fmt.Sprintf("(%d,)", n), t)
	}
	if d := t.DType(); d.IsComplex() {
		panic(torch.NewError(r.op, torch.ErrDType, r.arg+"."+name, fmt.Sprintf("expected numbers, got %v", d)))
	}
	return t.To(torch.CPU, torch.Float64).Contiguous().Float64s()
}

// objects reads boxes, masks or key points with their labels.
func (r *reader) objects(boxes, labels, masks, points *torch.Tensor) []object {
	r.need("Labels", labels)
	if d := labels.DType(); !d.IsInteger() {
		panic(torch.NewError(r.op, torch.ErrDType, r.arg+".Labels", fmt.Sprintf("expected integers, got %v", d)))
	}
	if labels.Dim() != 1 {
		r.wrongShape("Labels", "(N,)", labels)
	}
	list := make([]object, labels.Size(0))
	for i, l := range labels.To(torch.CPU, torch.Int64).Contiguous().Int64s() {
		list[i].label = l
	}
	switch r.kind {
	case IoUTypeBBox:
		r.boxes(boxes, list)
	case IoUTypeSegm:
		r.masks(masks, list)
	case IoUTypeKeypoints:
		r.keypoints(points, list)
		if r.arg == "wanted" {
			r.boxes(boxes, list)
		}
	}
	return list
}

func (r *reader) boxes(t *torch.Tensor, list []object) {
	r.need("Boxes", t)
	if shape := t.Shape(); len(shape) != 2 || shape[0] != int64(len(list)) || shape[1] != 4 {
		r.wrongShape("Boxes", fmt.Sprintf("(%d, 4)", len(list)), t)
	}
	// The subtraction is in the boxes' own dtype, as programs in Python have it.
	corner := t.Narrow(1, 0, 2)
	size := t.Narrow(1, 2, 2).Sub(corner)
	numbers := torch.Cat([]*torch.Tensor{corner, size}, 1).To(torch.CPU, torch.Float64).Contiguous().Float64s()
	for i := range list {
		list[i].box = [4]float64(numbers[4*i:])
		list[i].area = list[i].box[2] * list[i].box[3]
	}
}

func (r *reader) masks(t *torch.Tensor, list []object) {
	r.need("Masks", t)
	shape := t.Shape()
	if len(shape) != 3 || shape[0] != int64(len(list)) {
		r.wrongShape("Masks", fmt.Sprintf("(%d, H, W)", len(list)), t)
	}
	if d := t.DType(); d != torch.Bool && d != torch.Uint8 {
		panic(torch.NewError(r.op, torch.ErrDType, r.arg+".Masks", fmt.Sprintf("expected Bool or Uint8, got %v", d)))
	}
	h, w := shape[1], shape[2]
	pixels := t.To(torch.CPU, torch.Uint8).Contiguous().Uint8s()
	for i := range list {
		m := rle.Encode(pixels[int64(i)*h*w:][:h*w], h, w)
		box := m.Box()
		list[i].mask, list[i].area = m, float64(m.Area())
		list[i].box = [4]float64{float64(box[0]), float64(box[1]), float64(box[2]), float64(box[3])}
	}
}

// Reset removes all images.
func (m *MeanAveragePrecision) Reset() {
	m.mustBeMade("metrics.MeanAveragePrecision.Reset")
	m.images = nil
}

// byClass returns the objects of each class, for each image that has any.
func (m *MeanAveragePrecision) byClass() map[int64][]picture {
	classes := map[int64][]picture{}
	for _, p := range m.images {
		here := map[int64]*picture{}
		of := func(label int64) *picture {
			if here[label] == nil {
				here[label] = new(picture)
			}
			return here[label]
		}
		for _, o := range p.found {
			c := of(o.label)
			c.found = append(c.found, o)
		}
		for _, o := range p.wanted {
			c := of(o.label)
			c.wanted = append(c.wanted, o)
		}
		for label, c := range here {
			classes[label] = append(classes[label], *c)
		}
	}
	return classes
}

// byScore sorts detections by falling score, and keeps the order of equal scores. NaN comes last.
func byScore(list []object) {
	slices.SortStableFunc(list, func(a, b object) int { return falling(a.score, b.score) })
}

func falling(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	return cmp.Compare(b, a)
}

// overlaps returns the intersection over union of each detection with each target. For a crowd, it is
// the part of the detection within the crowd. For key points it is their similarity.
func (m *MeanAveragePrecision) overlaps(found, wanted []object) [][]float64 {
	list := make([][]float64, len(found))
	for i := range found {
		list[i] = make([]float64, len(wanted))
		for j := range wanted {
			if m.kind == IoUTypeKeypoints {
				list[i][j] = similarity(&found[i], &wanted[j], m.sigmas)
				continue
			}
			list[i][j] = boxOverlap(&found[i], &wanted[j])
			if m.kind == IoUTypeSegm && list[i][j] > 0 {
				list[i][j] = maskOverlap(&found[i], &wanted[j])
			}
		}
	}
	return list
}

func boxOverlap(a, b *object) float64 {
	w := math.Min(a.box[2]+a.box[0], b.box[2]+b.box[0]) - math.Max(a.box[0], b.box[0])
	h := math.Min(a.box[3]+a.box[1], b.box[3]+b.box[1]) - math.Max(a.box[1], b.box[1])
	if !(w > 0 && h > 0) {
		return 0
	}
	both, own := w*h, a.box[2]*a.box[3]
	if b.crowd {
		return both / own
	}
	// The conversion prevents the compiler from fusing the product with the sum.
	return both / (float64(own+float64(b.box[2]*b.box[3])) - both)
}

func maskOverlap(a, b *object) float64 {
	both := rle.Intersection(a.mask, b.mask)
	switch {
	case both == 0:
		return 0
	case b.crowd:
		return float64(both) / float64(a.mask.Area())
	}
	return float64(both) / float64(a.mask.Area()+b.mask.Area()-both)
}
