package datasets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/rle"
)

// cocoFormat names the format in errors.
const cocoFormat = "coco"

// cocoFile contains the annotations of a file.
type cocoFile struct {
	images     []cocoImage // sorted by id
	categories []CocoCategory
}

type cocoImage struct {
	CocoImage
	objects []cocoObject
}

type cocoObject struct {
	id, category, crowd int64
	area                float32
	box                 [4]float32
	points              []float32       // x, y and visibility in turn
	segmentation        json.RawMessage // nil unless masks are asked for
}

// name returns the object's id.
func (a *cocoObject) name() string { return strconv.FormatInt(a.id, 10) }

// number is an integer of JSON, which may be written as a floating-point number.
type number int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if i, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		*n = number(i)
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return errors.New("expected an integer, got " + quoted(string(b)))
	}
	*n = number(f)
	return nil
}

// readCoco reads a file of annotations. It reads one element of each list at a time, and keeps only
// what the options ask for.
func readCoco(path string, c *config) (*cocoFile, error) {
	f, _, err := fileerr.Open(cocoFormat, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // Nothing was written, so closing cannot fail.
	r := &cocoReader{json.NewDecoder(f), path, c, cocoFile{}, map[int64]int{}, map[int64][]cocoObject{}}
	if err := r.read(); err != nil {
		return nil, r.error(err)
	}
	for i := range r.file.images {
		r.file.images[i].objects = r.objects[r.file.images[i].ID]
	}
	slices.SortFunc(r.file.images, func(a, b cocoImage) int { return cmp.Compare(a.ID, b.ID) })
	return &r.file, nil
}

type cocoReader struct {
	dec     *json.Decoder
	path    string
	opts    *config
	file    cocoFile
	at      map[int64]int // the index of each image
	objects map[int64][]cocoObject
}

// error returns err with the place in the file.
func (r *cocoReader) error(err error) error {
	var fe *torch.FileError
	if errors.As(err, &fe) {
		fe.Path, fe.Offset = r.path, r.dec.InputOffset()
		return fe
	}
	e := &torch.FileError{Format: cocoFormat, Path: r.path, Offset: r.dec.InputOffset(), Err: err}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Kind, e.Err, e.Detail = torch.ErrTruncated, nil, "the file ends within the annotations"
	case errors.As(err, &syntax):
		e.Kind, e.Err, e.Detail = torch.ErrFormat, nil, "not JSON: "+err.Error()
	case errors.As(err, &kind):
		e.Kind, e.Err = torch.ErrFormat, nil
		e.Detail = "expected " + kind.Type.String() + " for " + quoted(kind.Field) + ", got " + kind.Value
	case !isSystem(err):
		e.Kind, e.Err, e.Detail = torch.ErrFormat, nil, err.Error()
	}
	return e
}

// isSystem reports whether err is an error of the file system.
func isSystem(err error) bool {
	return fileerr.WithoutPath(err) != err //nolint:errorlint // it removes the path of such errors
}

func (r *cocoReader) read() error {
	if err := r.open('{', "an object"); err != nil {
		return err
	}
	for r.dec.More() {
		key, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch key {
		case "images":
			err = r.list(r.image)
		case "annotations":
			err = r.list(r.object)
		case "categories":
			err = r.list(r.category)
		default:
			err = r.skip()
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.dec.Token(); err != nil {
		return err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return fileError(cocoFormat, r.path, torch.ErrFormat, "more data after the annotations")
	}
	return nil
}

// open reads the beginning of an object or a list.
func (r *cocoReader) open(d json.Delim, what string) error {
	t, err := r.dec.Token()
	if err != nil {
		return err
	}
	if t != d {
		return fileError(cocoFormat, r.path, torch.ErrFormat, "expected %s", what)
	}
	return nil
}

// list reads a list, and calls fn for each element.
func (r *cocoReader) list(fn func() error) error {
	if err := r.open('[', "a list"); err != nil {
		return err
	}
	for r.dec.More() {
		if err := fn(); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	return err
}

// skip reads a value and forgets it.
func (r *cocoReader) skip() error {
	depth := 0
	for {
		t, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func (r *cocoReader) image() error {
	var v struct {
		ID            *number
		FileName      *string `json:"file_name"`
		Height, Width number
	}
	if err := r.dec.Decode(&v); err != nil {
		return err
	}
	if v.ID == nil || v.FileName == nil {
		return fileError(cocoFormat, r.path, torch.ErrFormat, "an image has no id or no file_name")
	}
	if !filepath.IsLocal(*v.FileName) {
		return fileError(cocoFormat, r.path, torch.ErrFormat, "the file_name %s is not in the folder of the images",
			quoted(*v.FileName))
	}
	image := cocoImage{CocoImage: CocoImage{int64(*v.ID), *v.FileName, int64(v.Height), int64(v.Width)}}
	if i, ok := r.at[image.ID]; ok { // as in Python, the last one counts
		r.file.images[i] = image
		return nil
	}
	r.at[image.ID] = len(r.file.images)
	r.file.images = append(r.file.images, image)
	return nil
}

func (r *cocoReader) category() error {
	var v struct {
		ID                  *number
		Name, Supercategory string
	}
	if err := r.dec.Decode(&v); err != nil {
		return err
	}
	if v.ID == nil {
		return fileError(cocoFormat, r.path, torch.ErrFormat, "a category has no id")
	}
	r.file.categories = append(r.file.categories, CocoCategory{int64(*v.ID), v.Name, v.Supercategory})
	return nil
}

func (r *cocoReader) object() error {
	var v struct {
		ID           number
		ImageID      *number `json:"image_id"`
		CategoryID   *number `json:"category_id"`
		BBox         []float32
		Area         float32
		IsCrowd      number
		Segmentation json.RawMessage
		KeyPoints    []float32
	}
	if err := r.dec.Decode(&v); err != nil {
		return err
	}
	wrong := func(detail string, args ...any) error {
		return fileError(cocoFormat, r.path, torch.ErrFormat, detail, args...)
	}
	switch {
	case v.ImageID == nil:
		return wrong("an object has no image_id")
	case r.opts.has("labels") && v.CategoryID == nil:
		return wrong("object %d has no category_id", v.ID)
	case r.opts.has("boxes") && len(v.BBox) != 4:
		return wrong("object %d: expected a bbox of 4 numbers, got %d", v.ID, len(v.BBox))
	case len(v.KeyPoints)%3 != 0:
		return wrong("object %d: expected keypoints in groups of 3 numbers, got %d", v.ID, len(v.KeyPoints))
	case r.opts.has("masks") && v.Segmentation == nil:
		return wrong("object %d has no segmentation", v.ID)
	}
	a := cocoObject{id: int64(v.ID), area: v.Area, crowd: int64(v.IsCrowd)}
	if v.CategoryID != nil {
		a.category = int64(*v.CategoryID)
	}
	copy(a.box[:], v.BBox)
	if r.opts.has("keypoints") {
		a.points = slices.Clone(v.KeyPoints)
	}
	if r.opts.has("masks") {
		a.segmentation = bytes.Clone(v.Segmentation)
	}
	r.objects[int64(*v.ImageID)] = append(r.objects[int64(*v.ImageID)], a)
	return nil
}

// draw sets the pixels of the object's mask to 1. The error has no path.
func (a *cocoObject) draw(pixels []byte, h, w int64) *torch.FileError {
	wrong := func(kind error, detail string, args ...any) *torch.FileError {
		return fileError(cocoFormat, "", kind, detail, args...)
	}
	var polygons [][]float64
	if err := json.Unmarshal(a.segmentation, &polygons); err == nil {
		draw, err := rle.NewPolygons(h, w)
		if err != nil {
			return wrong(torch.ErrFormat, "%v", err)
		}
		for _, xy := range polygons {
			if len(xy) < 6 || len(xy)%2 != 0 {
				return wrong(torch.ErrFormat, "expected x and y of at least 3 points of a polygon, got %d numbers",
					len(xy))
			}
			m, err := draw.Draw(xy)
			if err != nil {
				return wrong(torch.ErrFormat, "%v", err)
			}
			m.Decode(pixels)
		}
		return nil
	}
	var v struct {
		Size   []number
		Counts json.RawMessage
	}
	if err := json.Unmarshal(a.segmentation, &v); err != nil {
		return wrong(torch.ErrFormat, "expected a list of polygons, or an object with size and counts")
	}
	if len(v.Size) != 2 || int64(v.Size[0]) != h || int64(v.Size[1]) != w {
		return wrong(torch.ErrMismatch, "expected a mask of the image's size [%d %d], got %v", h, w,
			v.Size[:min(len(v.Size), 3)])
	}
	var m rle.Mask
	var text string
	err := json.Unmarshal(v.Counts, &text)
	if err == nil && string(v.Counts) != "null" {
		m, err = rle.Parse(h, w, text)
	} else {
		var counts []int64
		if err = json.Unmarshal(v.Counts, &counts); err != nil || counts == nil {
			return wrong(torch.ErrFormat, "expected a text or a list of integers for counts")
		}
		m, err = rle.New(h, w, counts)
	}
	if err != nil {
		return wrong(torch.ErrFormat, "%v", err)
	}
	m.Decode(pixels)
	return nil
}
