package detection

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A Target contains the objects of an image, for training. The tensors stay the caller's.
type Target struct {
	Boxes     *torch.Tensor // (N, 4), the left, top, right and bottom edges in pixels of the image
	Labels    *torch.Tensor // (N), Int64; in most models 0 is the background and does not occur
	Masks     *torch.Tensor // (N, H, W) of the image, for a Mask R-CNN: 1 where the object is
	Keypoints *torch.Tensor // (N, K, 3), Float32, for a Keypoint R-CNN: x, y and whether it is visible
}

// A Detection contains the objects that a model has found in an image, the best first.
type Detection struct {
	Boxes  *torch.Tensor // (N, 4), the left, top, right and bottom edges in pixels of the image
	Labels *torch.Tensor // (N), Int64
	Scores *torch.Tensor // (N), from 0 to 1

	Masks           *torch.Tensor // (N, 1, H, W), from 0 to 1, of a Mask R-CNN, or else nil
	Keypoints       *torch.Tensor // (N, K, 3), x, y and 1, of a Keypoint R-CNN, or else nil
	KeypointsScores *torch.Tensor // (N, K), of a Keypoint R-CNN, or else nil
}

// Close closes the tensors.
func (d Detection) Close() error {
	for _, t := range d.tensors() {
		if t != nil {
			_ = t.Close() // returns nil
		}
	}
	return nil
}

func (d Detection) tensors() []*torch.Tensor {
	return []*torch.Tensor{d.Boxes, d.Labels, d.Scores, d.Masks, d.Keypoints, d.KeypointsScores}
}

// Losses are the losses of a batch, by torchvision's names.
type Losses []nn.NamedTensor

// Get returns the loss with the given name. It panics with ErrValue if there is none.
func (l Losses) Get(name string) *torch.Tensor {
	for _, n := range l {
		if n.Name == name {
			return n.Tensor
		}
	}
	panic(torch.NewError("detection.Losses.Get", torch.ErrValue, "name", fmt.Sprintf("there is no loss %q", name)))
}

// Sum returns the sum of all losses, from which a program calls Backward. It panics with ErrValue if
// there are none.
func (l Losses) Sum() *torch.Tensor {
	if len(l) == 0 {
		panic(torch.NewError("detection.Losses.Sum", torch.ErrValue, "receiver", "there are no losses"))
	}
	return torch.Tidy(func() *torch.Tensor {
		sum := l[0].Tensor.AddScalar(0)
		for _, n := range l[1:] {
			sum = sum.Add(n.Tensor)
		}
		return sum
	})
}

// batch is a batch of images after the transform.
type batch struct {
	images   *torch.Tensor // (N, 3, H, W)
	sizes    [][2]int64    // the height and width of each image in it
	original [][2]int64    // the height and width of each image before
	targets  []Target      // in training
}

// A model can be trained, and can detect objects.
type model interface {
	nn.Module
	losses(b *batch) Losses
	detect(b *batch) []Detection
	transform() *GeneralizedRCNNTransform
	classes() int64 // labels are less
}

func checkImages(op string, images []*torch.Tensor) {
	if len(images) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "images", "expected at least one image"))
	}
	for i, x := range images {
		arg := fmt.Sprintf("images[%d]", i)
		x.HandleFor(op+"(image)", 0)
		if x.Dim() != 3 || x.Numel() == 0 {
			panic(torch.NewError(op, torch.ErrShape, arg, fmt.Sprintf("expected (3, H, W), got %v", x.Shape())))
		}
		if !x.DType().IsFloatingPoint() {
			panic(torch.NewError(op, torch.ErrDType, arg,
				fmt.Sprintf("expected floating-point numbers from 0 to 1, got %v", x.DType())))
		}
	}
}

// check panics unless the target of an image has boxes with labels, and what else the model needs.
func (t Target) check(op, arg string, image *torch.Tensor, classes int64, masks, keypoints bool) {
	wrong := func(field string, kind error, format string, args ...any) {
		panic(torch.NewError(op, kind, arg+"."+field, fmt.Sprintf(format, args...)))
	}
	t.Boxes.HandleFor(op+"(Boxes)", 0)
	t.Labels.HandleFor(op+"(Labels)", 0)
	if t.Boxes.Dim() != 2 || t.Boxes.Size(1) != 4 {
		wrong("Boxes", torch.ErrShape, "expected (N, 4), got %v", t.Boxes.Shape())
	}
	if !t.Boxes.DType().IsFloatingPoint() {
		wrong("Boxes", torch.ErrDType, "expected floating-point numbers, got %v", t.Boxes.DType())
	}
	n := t.Boxes.Size(0)
	if !t.Labels.Shape().Equal(torch.Shape{n}) {
		wrong("Labels", torch.ErrShape, "expected (%d), got %v", n, t.Labels.Shape())
	}
	if t.Labels.DType() != torch.Int64 {
		wrong("Labels", torch.ErrDType, "expected int64, got %v", t.Labels.DType())
	}
	if masks {
		t.Masks.HandleFor(op+"(Masks)", 0)
		if want := (torch.Shape{n, image.Size(1), image.Size(2)}); !t.Masks.Shape().Equal(want) {
			wrong("Masks", torch.ErrShape, "expected %v, got %v", want, t.Masks.Shape())
		}
		torch.Scope(func() {
			if t.Masks.DType() != torch.Bool && t.Masks.GtScalar(1).Any().ItemBool() {
				wrong("Masks", torch.ErrValue, "expected numbers from 0 to 1, got a larger one")
			}
		})
	}
	if keypoints {
		t.Keypoints.HandleFor(op+"(Keypoints)", 0)
		if t.Keypoints.Dim() != 3 || t.Keypoints.Size(0) != n || t.Keypoints.Size(2) != 3 {
			wrong("Keypoints", torch.ErrShape, "expected (%d, K, 3), got %v", n, t.Keypoints.Shape())
		}
		if t.Keypoints.DType() != torch.Float32 {
			wrong("Keypoints", torch.ErrDType, "expected float32, got %v", t.Keypoints.DType())
		}
	}
	torch.Scope(func() {
		sized := t.Boxes.Narrow(1, 2, 2).Gt(t.Boxes.Narrow(1, 0, 2)) // false for NaN
		finite := t.Boxes.IsFinite()
		boxes := sized.All(torch.Dim(1)).LogicalAnd(finite.All(torch.Dim(1)))
		labels := t.Labels.GeScalar(0).LogicalAnd(t.Labels.LtScalar(classes))
		bad := where(boxes.LogicalAnd(labels).LogicalNot())
		if bad.Numel() == 0 {
			return
		}
		i := bad.Int64s()[0]
		if label := t.Labels.Int64s()[i]; label < 0 || label >= classes {
			wrong("Labels", torch.ErrIndex, "label %d is %d, which is out of range for %d classes", i, label, classes)
		}
		wrong("Boxes", torch.ErrValue, "expected finite numbers, and a positive width and height, got box %d: %v", i,
			t.Boxes.Select(0, i).ToList())
	})
}

// train returns the losses of a model for images and targets.
func train(op string, m model, images []*torch.Tensor, targets []Target, masks, keypoints bool) Losses {
	checkImages(op, images)
	if len(targets) != len(images) {
		panic(torch.NewError(op, torch.ErrValue, "targets",
			fmt.Sprintf("expected a target for each of %d images, got %d", len(images), len(targets))))
	}
	for i, t := range targets {
		t.check(op, fmt.Sprintf("targets[%d]", i), images[i], m.classes(), masks, keypoints)
	}
	if !m.ModuleBase().Training() {
		panic(torch.NewError(op, torch.ErrValue, "receiver", "the model is in evaluation mode: call Train first"))
	}
	var names []string
	list := m.ModuleBase().CallN(images, func(images []*torch.Tensor) []*torch.Tensor {
		b := m.transform().apply(images, targets)
		var list []*torch.Tensor
		for _, l := range m.losses(b) {
			names = append(names, l.Name)
			list = append(list, l.Tensor)
		}
		return list
	})
	losses := make(Losses, len(list))
	for i, t := range list {
		losses[i] = nn.NamedTensor{Name: names[i], Tensor: t}
	}
	return losses
}

// find returns what a model detects in images.
func find(op string, m model, images []*torch.Tensor) []Detection {
	checkImages(op, images)
	if m.ModuleBase().Training() {
		panic(torch.NewError(op, torch.ErrValue, "receiver", "the model is in training mode: call Eval first"))
	}
	n := len(Detection{}.tensors())
	list := m.ModuleBase().CallN(images, func(images []*torch.Tensor) []*torch.Tensor {
		b := m.transform().apply(images, nil)
		var list []*torch.Tensor
		for i, d := range m.detect(b) {
			list = append(list, postprocess(d, b.sizes[i], b.original[i]).tensors()...)
		}
		return list
	})
	all := make([]Detection, len(images))
	for i := range all {
		d := list[n*i:]
		all[i] = Detection{
			Boxes: d[0], Labels: d[1], Scores: d[2], Masks: d[3], Keypoints: d[4], KeypointsScores: d[5],
		}
	}
	return all
}

// where returns the indices at which a list is true.
func where(condition *torch.Tensor) *torch.Tensor { return condition.Nonzero().Select(1, 0) }

// rows returns the rows of t with the given indices.
func rows(t, index *torch.Tensor) *torch.Tensor { return t.IndexSelect(0, index) }
