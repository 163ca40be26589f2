package datasets

import (
	"path/filepath"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"

	tv "github.com/gotorch/gotorch/vision/transforms"
)

// CocoDetection is a dataset of images with objects in COCO's format. The Value of an example is a
// tv.Sample. Its parts are, for the [TargetKeys]:
//
//	"boxes"     Boxes: (N, 4), float32, in BoundingBoxFormatXYXY
//	"labels"    Labels: (N), int64, the categories' ids
//	"masks"     Mask: (N, H, W), uint8
//	"keypoints" KeyPoints: (N, K, 2), float32; Extra["visibility"]: (N, K), int64
//	"image_id"  Extra["image_id"]: (), int64
//	"area"      Extra["area"]: (N), float32
//	"iscrowd"   Extra["iscrowd"]: (N), int64
//
// It needs no Close, and is safe for use by several goroutines if the transform is. Follows
// torchvision.datasets.CocoDetection.
type CocoDetection struct {
	root, path string
	opts       config
	file       *cocoFile
}

// CocoImage is an image in the annotations of a [CocoDetection].
type CocoImage struct {
	ID            int64
	FileName      string // relative to the folder of the images
	Height, Width int64  // as the annotations say; 0 if they do not
}

// CocoCategory is a class of objects in the annotations of a [CocoDetection].
type CocoCategory struct {
	ID                  int64
	Name, Supercategory string
}

// NewCocoDetection reads the annotations of images in the folder root from annFile, a JSON file. An image
// is read when its example is requested. The examples are in the order of the images' ids. It returns a
// *torch.FileError for annotations that cannot be read. It panics with ErrNil for a nil option and with
// ErrValue for invalid ones.
func NewCocoDetection(root, annFile string, opts ...CocoDetectionOption) (*CocoDetection, error) {
	c := read("datasets.NewCocoDetection", opts)
	file, err := readCoco(annFile, &c)
	if err != nil {
		return nil, err
	}
	return &CocoDetection{root, annFile, c, file}, nil
}

func (d *CocoDetection) isMade() bool { return d != nil && d.file != nil }

// Len returns the number of images.
func (d *CocoDetection) Len() int {
	mustBeMade("datasets.CocoDetection.Len", d.isMade())
	return len(d.file.images)
}

// Get is [CocoDetection.TryGet], but panics with the error.
func (d *CocoDetection) Get(i int) data.Example {
	const op = "datasets.CocoDetection.Get"
	mustBeMade(op, d.isMade())
	s, err := d.Sample(i)
	return orPanic(op, s, err)
}

// TryGet reads image i. The Value of the example is the result of Sample.
func (d *CocoDetection) TryGet(i int) (data.Example, error) {
	mustBeMade("datasets.CocoDetection.TryGet", d.isMade())
	s, err := d.Sample(i)
	if err != nil {
		return data.Example{}, err
	}
	return data.Example{Value: s}, nil
}

// Sample reads image i and its objects. The tensors are new. It returns a *data.FileError for an image that
// cannot be read, and a *torch.FileError for wrong masks: ErrMismatch if the size of a mask is not that
// of the image. It panics with ErrIndex if i is out of range, and as the transform does.
func (d *CocoDetection) Sample(i int) (tv.Sample, error) {
	const op = "datasets.CocoDetection.Sample"
	mustBeMade(op, d.isMade())
	mustBeIndex(op, true, len(d.file.images), i)
	return d.opts.get(func() (tv.Sample, error) {
		image := &d.file.images[i]
		x, err := data.ReadImage(filepath.Join(d.root, image.FileName), d.opts.images...)
		if err != nil {
			return tv.Sample{}, err
		}
		return d.sample(x, image)
	})
}

// sample returns the sample of an image, whose pixels are x.
func (d *CocoDetection) sample(x *torch.Tensor, image *cocoImage) (tv.Sample, error) {
	h, w := x.Size(-2), x.Size(-1)
	n := int64(len(image.objects))
	s := tv.Sample{Image: x, Extra: map[string]*torch.Tensor{}}
	o := &d.opts
	if o.has("boxes") {
		boxes := make([]float32, 0, 4*n)
		for _, a := range image.objects {
			b := a.box
			boxes = append(boxes, b[0], b[1], b[0]+b[2], b[1]+b[3])
		}
		s.Boxes = tv.BoundingBoxes{
			Tensor: torch.FromSlice(boxes, n, 4), Format: tv.BoundingBoxFormatXYXY, CanvasSize: [2]int64{h, w},
		}
	}
	if o.has("labels") {
		s.Labels = torch.FromSlice(column(image.objects, func(a *cocoObject) int64 { return a.category }), n)
	}
	if o.has("image_id") {
		s.Extra["image_id"] = torch.FromSliceWith([]int64{image.ID}, torch.Shape{})
	}
	if o.has("area") {
		s.Extra["area"] = torch.FromSlice(column(image.objects, func(a *cocoObject) float32 { return a.area }), n)
	}
	if o.has("iscrowd") {
		s.Extra["iscrowd"] = torch.FromSlice(column(image.objects, func(a *cocoObject) int64 { return a.crowd }), n)
	}
	if o.has("keypoints") {
		points, visible, err := d.keyPoints(image)
		if err != nil {
			return s, err
		}
		s.KeyPoints = tv.KeyPoints{Tensor: points, CanvasSize: [2]int64{h, w}}
		s.Extra["visibility"] = visible
	}
	if o.has("masks") {
		masks, err := d.masks(image, h, w)
		if err != nil {
			return s, err
		}
		s.Mask.Tensor = masks
	}
	return s, nil
}

// column returns a number of each object.
func column[T any](objects []cocoObject, of func(a *cocoObject) T) []T {
	list := make([]T, len(objects))
	for i := range objects {
		list[i] = of(&objects[i])
	}
	return list
}

// keyPoints returns the key points of an image's objects, and whether they are visible.
func (d *CocoDetection) keyPoints(image *cocoImage) (points, visible *torch.Tensor, err error) {
	n, k := int64(len(image.objects)), int64(0)
	if n > 0 {
		k = int64(len(image.objects[0].points)) / 3
	}
	xy, v := make([]float32, 0, 2*n*k), make([]int64, 0, n*k)
	for _, a := range image.objects {
		if int64(len(a.points)) != 3*k {
			return nil, nil, fileError(cocoFormat, d.path, torch.ErrFormat,
				"the objects of image %d have different numbers of key points: %d and %d", image.ID, k, len(a.points)/3)
		}
		for p := a.points; len(p) > 0; p = p[3:] {
			xy, v = append(xy, p[0], p[1]), append(v, int64(p[2]))
		}
	}
	return torch.FromSlice(xy, n, k, 2), torch.FromSlice(v, n, k), nil
}

// masks returns the masks of an image's objects.
func (d *CocoDetection) masks(image *cocoImage, h, w int64) (*torch.Tensor, error) {
	n := int64(len(image.objects))
	if h > 0 && w > 0 && n > d.opts.maxMasks/h/w {
		return nil, fileError(cocoFormat, d.path, torch.ErrFormat,
			"the masks of image %d have %d x %d x %d bytes, more than the %d that MaxMaskBytes allows", image.ID, n, h,
			w, d.opts.maxMasks)
	}
	pixels := make([]byte, n*h*w)
	for i, a := range image.objects {
		if err := a.draw(pixels[int64(i)*h*w:][:h*w], h, w); err != nil {
			err.Path = d.path
			err.Detail = "object " + quoted(a.name()) + " of image " + quoted(image.FileName) + ": " + err.Detail
			return nil, err
		}
	}
	return torch.FromSlice(pixels, n, h, w), nil
}

// IDs returns the ids of the images, in the order of the examples.
func (d *CocoDetection) IDs() []int64 {
	mustBeMade("datasets.CocoDetection.IDs", d.isMade())
	ids := make([]int64, len(d.file.images))
	for i := range ids {
		ids[i] = d.file.images[i].ID
	}
	return ids
}

// Image returns what the annotations say about image i. It panics with ErrIndex if i is out of range.
func (d *CocoDetection) Image(i int) CocoImage {
	const op = "datasets.CocoDetection.Image"
	mustBeMade(op, d.isMade())
	mustBeIndex(op, true, len(d.file.images), i)
	return d.file.images[i].CocoImage
}

// Categories returns the classes of objects, in the order of the file.
func (d *CocoDetection) Categories() []CocoCategory {
	mustBeMade("datasets.CocoDetection.Categories", d.isMade())
	return slices.Clone(d.file.categories)
}

// String returns the text that Python prints for the dataset.
func (d *CocoDetection) String() string {
	if !d.isMade() {
		return "CocoDetection(nil)"
	}
	return describe("CocoDetection", d.Len(), d.root, d.opts.transform)
}
