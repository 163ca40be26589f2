package datasets

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// vocFormat names the format in errors.
const vocFormat = "voc"

// The largest sizes of a file of annotations, and of a list of images.
const (
	maxAnnotation = 16 << 20
	maxList       = 64 << 20
)

// vocCategories returns the names of VOC's classes.
func vocCategories() []string {
	return []string{
		"__background__", "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow",
		"diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor",
	}
}

// vocFolder is a list of images in a folder of VOC's.
type vocFolder struct {
	root, base string
	names      []string
	opts       config
}

// readVOC reads the list of images.
func readVOC(root, lists string, c config) (*vocFolder, error) {
	base := filepath.Join(root, "VOCdevkit", "VOC"+c.year)
	if c.year == "2011" {
		base = filepath.Join(root, "TrainVal", "VOCdevkit", "VOC2011")
	}
	path := filepath.Join(base, "ImageSets", lists, c.set+".txt")
	text, err := readFile(path, maxList)
	if err != nil {
		return nil, err
	}
	v := &vocFolder{root: root, base: base, opts: c}
	for line := range strings.Lines(string(text)) {
		name := strings.TrimSpace(line)
		if !isName(name) {
			return nil, fileError(vocFormat, path, torch.ErrFormat, "%s is not the name of an image", quoted(name))
		}
		v.names = append(v.names, name)
	}
	return v, nil
}

// readFile reads a file of at most the given size.
func readFile(path string, most int64) ([]byte, error) {
	b, err := files.Read(path, most)
	if err == nil {
		return b, nil
	}
	e := &torch.FileError{Format: vocFormat, Path: path, Offset: -1, Err: err}
	var other *files.NotRegularError
	var large *files.TooLargeError
	switch {
	case errors.As(err, &other):
		e.Kind, e.Detail, e.Err = torch.ErrFormat, other.Detail(), nil
	case errors.As(err, &large):
		e.Kind, e.Detail, e.Err = torch.ErrFormat, large.Detail(), nil
	}
	return nil, e
}

// image reads image i.
func (v *vocFolder) image(i int) (*torch.Tensor, error) {
	return data.ReadImage(filepath.Join(v.base, "JPEGImages", v.names[i]+".jpg"), v.opts.images...)
}

// VOCDetection is a dataset of images with objects in the format of Pascal VOC. The Value of an example is
// a tv.Sample. It has Boxes, of shape (N, 4) and dtype int64, in BoundingBoxFormatXYXY, and Labels, of
// shape (N). Extra["difficult"] and Extra["truncated"] are 1 for objects with these marks. It needs no
// Close, and is safe for use by several goroutines if the transform is. Follows
// torchvision.datasets.VOCDetection.
type VOCDetection struct{ folder *vocFolder }

// NewVOCDetection reads the list of images of a folder that contains VOCdevkit. Images and annotations
// are read when an example is requested. It returns a *torch.FileError if the list cannot be read. It
// panics with ErrNil for a nil option and with ErrValue for invalid ones.
func NewVOCDetection(root string, opts ...VOCDetectionOption) (*VOCDetection, error) {
	v, err := readVOC(root, "Main", read("datasets.NewVOCDetection", opts))
	if err != nil {
		return nil, err
	}
	return &VOCDetection{v}, nil
}

func (d *VOCDetection) isMade() bool { return d != nil && d.folder != nil }

// Len returns the number of images.
func (d *VOCDetection) Len() int {
	mustBeMade("datasets.VOCDetection.Len", d.isMade())
	return len(d.folder.names)
}

// Get is [VOCDetection.TryGet], but panics with the error.
func (d *VOCDetection) Get(i int) data.Example {
	const op = "datasets.VOCDetection.Get"
	mustBeMade(op, d.isMade())
	s, err := d.Sample(i)
	return orPanic(op, s, err)
}

// TryGet reads image i. The Value of the example is the result of Sample.
func (d *VOCDetection) TryGet(i int) (data.Example, error) {
	mustBeMade("datasets.VOCDetection.TryGet", d.isMade())
	s, err := d.Sample(i)
	if err != nil {
		return data.Example{}, err
	}
	return data.Example{Value: s}, nil
}

// Sample reads image i and its objects. The tensors are new. It returns a *data.FileError for an image that
// cannot be read, and a *torch.FileError for wrong annotations. It panics with ErrIndex if i is out of
// range, and as the transform does.
func (d *VOCDetection) Sample(i int) (tv.Sample, error) {
	const op = "datasets.VOCDetection.Sample"
	mustBeMade(op, d.isMade())
	v := d.folder
	mustBeIndex(op, true, len(v.names), i)
	return v.opts.get(func() (tv.Sample, error) {
		x, err := v.image(i)
		if err != nil {
			return tv.Sample{}, err
		}
		path := filepath.Join(v.base, "Annotations", v.names[i]+".xml")
		text, err := readFile(path, maxAnnotation)
		if err != nil {
			return tv.Sample{}, err
		}
		objects, err := decodeVOC(text, path, v.opts.categories)
		if err != nil {
			return tv.Sample{}, err
		}
		n := int64(len(objects.labels))
		return tv.Sample{
			Image: x,
			Boxes: tv.BoundingBoxes{
				Tensor: torch.FromSlice(objects.boxes, n, 4), Format: tv.BoundingBoxFormatXYXY,
				CanvasSize: [2]int64{x.Size(-2), x.Size(-1)},
			},
			Labels: torch.FromSlice(objects.labels, n),
			Extra: map[string]*torch.Tensor{
				"difficult": torch.FromSlice(objects.difficult, n), "truncated": torch.FromSlice(objects.truncated, n),
			},
		}, nil
	})
}

// Categories returns the names of the classes, in the order of their labels.
func (d *VOCDetection) Categories() []string {
	mustBeMade("datasets.VOCDetection.Categories", d.isMade())
	return slices.Clone(d.folder.opts.categories)
}

// String returns the text that Python prints for the dataset.
func (d *VOCDetection) String() string {
	if !d.isMade() {
		return "VOCDetection(nil)"
	}
	return describe("VOCDetection", d.Len(), d.folder.root, d.folder.opts.transform)
}

// vocObjects are the objects in an image.
type vocObjects struct{ boxes, labels, difficult, truncated []int64 }

// decodeVOC reads a file of annotations.
func decodeVOC(text []byte, path string, categories []string) (o vocObjects, err error) {
	var v struct {
		XMLName xml.Name `xml:"annotation"`
		Objects []struct {
			Name      string `xml:"name"`
			Difficult string `xml:"difficult"`
			Truncated string `xml:"truncated"`
			Box       struct {
				XMin string `xml:"xmin"`
				YMin string `xml:"ymin"`
				XMax string `xml:"xmax"`
				YMax string `xml:"ymax"`
			} `xml:"bndbox"`
		} `xml:"object"`
	}
	dec := xml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&v); err != nil {
		e := &torch.FileError{Format: vocFormat, Path: path, Offset: dec.InputOffset(), Kind: torch.ErrFormat}
		e.Detail = "not annotations in XML: " + cut(err.Error())
		var syntax *xml.SyntaxError
		if errors.Is(err, io.EOF) || errors.As(err, &syntax) && syntax.Msg == "unexpected EOF" {
			e.Kind, e.Detail = torch.ErrTruncated, "the file ends within the annotations"
		}
		return o, e
	}
	index := make(map[string]int64, len(categories))
	for i, name := range categories {
		index[name] = int64(i)
	}
	for i, x := range v.Objects {
		label, ok := index[x.Name]
		if !ok {
			return o, fileError(vocFormat, path, torch.ErrFormat, "object %d is a %s, which is not in Categories", i,
				quoted(x.Name))
		}
		for _, text := range []string{x.Box.XMin, x.Box.YMin, x.Box.XMax, x.Box.YMax} {
			n, ok := integer(text)
			if !ok {
				return o, fileError(vocFormat, path, torch.ErrFormat, "object %d: expected a coordinate, got %s", i,
					quoted(text))
			}
			o.boxes = append(o.boxes, n)
		}
		o.labels = append(o.labels, label)
		o.difficult = append(o.difficult, mark(x.Difficult))
		o.truncated = append(o.truncated, mark(x.Truncated))
	}
	return o, nil
}

// integer reads a coordinate. Some files have fractions, which are cut off.
func integer(text string) (int64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(math.Abs(v) < 1<<40) {
		return 0, false
	}
	return int64(v), true
}

func mark(text string) int64 {
	if strings.TrimSpace(text) == "1" {
		return 1
	}
	return 0
}

// cut limits the length of an error of another package, which may quote the file.
func cut(text string) string {
	if len(text) > 200 {
		text = text[:200] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// VOCSegmentation is a dataset of images with the class of each pixel, in the format of Pascal VOC. The
// Value of an example is a tv.Sample with a Mask of shape (H, W) and dtype uint8, in which 255 are the
// pixels at the borders of objects. It needs no Close, and is safe for use by several goroutines if the
// transform is. Follows torchvision.datasets.VOCSegmentation.
type VOCSegmentation struct{ folder *vocFolder }

// NewVOCSegmentation reads the list of images of a folder that contains VOCdevkit. Images and masks are read
// when an example is requested. It returns a *torch.FileError if the list cannot be read. It panics
// with ErrNil for a nil option and with ErrValue for invalid ones.
func NewVOCSegmentation(root string, opts ...VOCSegmentationOption) (*VOCSegmentation, error) {
	v, err := readVOC(root, "Segmentation", read("datasets.NewVOCSegmentation", opts))
	if err != nil {
		return nil, err
	}
	return &VOCSegmentation{v}, nil
}

func (d *VOCSegmentation) isMade() bool { return d != nil && d.folder != nil }

// Len returns the number of images.
func (d *VOCSegmentation) Len() int {
	mustBeMade("datasets.VOCSegmentation.Len", d.isMade())
	return len(d.folder.names)
}

// Get is [VOCSegmentation.TryGet], but panics with the error.
func (d *VOCSegmentation) Get(i int) data.Example {
	const op = "datasets.VOCSegmentation.Get"
	mustBeMade(op, d.isMade())
	s, err := d.Sample(i)
	return orPanic(op, s, err)
}

// TryGet reads image i. The Value of the example is the result of Sample.
func (d *VOCSegmentation) TryGet(i int) (data.Example, error) {
	mustBeMade("datasets.VOCSegmentation.TryGet", d.isMade())
	s, err := d.Sample(i)
	if err != nil {
		return data.Example{}, err
	}
	return data.Example{Value: s}, nil
}

// Sample reads image i and its mask. The tensors are new. It returns a *data.FileError for an image that
// cannot be read, and a *torch.FileError for a mask that cannot: ErrMismatch if it does not have the
// size of the image. It panics with ErrIndex if i is out of range, and as the transform does.
func (d *VOCSegmentation) Sample(i int) (tv.Sample, error) {
	const op = "datasets.VOCSegmentation.Sample"
	mustBeMade(op, d.isMade())
	v := d.folder
	mustBeIndex(op, true, len(v.names), i)
	return v.opts.get(func() (tv.Sample, error) {
		x, err := v.image(i)
		if err != nil {
			return tv.Sample{}, err
		}
		path := filepath.Join(v.base, "SegmentationClass", v.names[i]+".png")
		mask, err := readMask(path, x.Size(-2), x.Size(-1))
		if err != nil {
			return tv.Sample{}, err
		}
		return tv.Sample{Image: x, Mask: tv.Mask{Tensor: mask}}, nil
	})
}

// String returns the text that Python prints for the dataset.
func (d *VOCSegmentation) String() string {
	if !d.isMade() {
		return "VOCSegmentation(nil)"
	}
	return describe("VOCSegmentation", d.Len(), d.folder.root, d.folder.opts.transform)
}

// readMask reads a PNG of h x w pixels: the indices of colors, or gray values.
func readMask(path string, h, w int64) (*torch.Tensor, error) {
	b, err := readFile(path, 1<<20+8*h*w)
	if err != nil {
		return nil, err
	}
	wrong := func(kind, err error, detail string, args ...any) error {
		e := fileError(vocFormat, path, kind, detail, args...)
		e.Err = err
		return e
	}
	size, err := png.DecodeConfig(bytes.NewReader(b))
	if err == nil && (int64(size.Height) != h || int64(size.Width) != w) {
		return nil, wrong(torch.ErrMismatch, nil, "expected a mask of the image's size of %d x %d, got %d x %d", h, w,
			size.Height, size.Width)
	}
	var pic image.Image
	if err == nil {
		pic, err = png.Decode(bytes.NewReader(b))
	}
	if err != nil {
		kind := torch.ErrFormat
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			kind = torch.ErrTruncated
		}
		return nil, wrong(kind, fileerr.WithoutPath(err), "not a PNG")
	}
	var pixels []byte
	var stride int
	switch pic := pic.(type) {
	case *image.Paletted:
		pixels, stride = pic.Pix, pic.Stride
	case *image.Gray:
		pixels, stride = pic.Pix, pic.Stride
	default:
		return nil, wrong(torch.ErrFormat, nil, "expected a PNG with a palette or with gray pixels, got %T", pic)
	}
	rows := make([]byte, 0, h*w)
	for y := range int(h) {
		rows = append(rows, pixels[y*stride:][:w]...)
	}
	return torch.FromSlice(rows, h, w), nil
}
