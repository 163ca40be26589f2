package datasets_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/datasets"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

const annotations = "testdata/coco/instances.json"

var all = datasets.TargetKeys{"image_id", "boxes", "labels", "masks", "keypoints", "area", "iscrowd"}

// Samples of COCO equal those of torchvision.
func TestCocoDetection(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var rows []struct {
		ID                    int64
		Shape                 torch.Shape
		Sum                   float64
		Boxes                 [][]float64
		Canvas                [2]int64
		Labels, Area, IsCrowd []float64
		Masks                 []float64
	}
	torchtest.LoadGoldens(t, "testdata/datasets.json").Decode("coco", &rows)
	set, err := datasets.NewCocoDetection("testdata/coco", annotations, all)
	require.NoError(t, err)
	require.Equal(t, len(rows), set.Len())
	assert.Equal(t, []int64{3, 4, 9}, set.IDs())
	assert.Equal(t, datasets.CocoImage{9, "nine.png", 18, 24}, set.Image(2))
	assert.Equal(t, datasets.CocoCategory{2, "bicycle", "vehicle"}, set.Categories()[1])
	for i, want := range rows {
		torch.Scope(func() {
			before := torch.NumLiveTensors()
			s, err := set.Sample(i)
			require.NoError(t, err)
			assert.Equal(t, before+9, torch.NumLiveTensors())
			assert.Equal(t, want.Shape, s.Image.Shape())
			assert.Equal(t, want.Sum, s.Image.Sum().Item())
			assert.Equal(t, want.ID, s.Extra["image_id"].ItemInt())
			n := int64(len(want.Boxes))
			var boxes []float64
			for _, b := range want.Boxes {
				boxes = append(boxes, b...)
			}
			numbers := func(x *torch.Tensor) []float64 {
				if x.Numel() == 0 {
					return nil
				}
				return x.Double().Reshape(-1).Float64s()
			}
			assert.Equal(t, boxes, numbers(s.Boxes.Tensor))
			assert.Equal(t, torch.Shape{n, 4}, s.Boxes.Tensor.Shape())
			assert.Equal(t, want.Labels, numbers(s.Labels))
			assert.Equal(t, want.Area, numbers(s.Extra["area"]))
			assert.Equal(t, want.IsCrowd, numbers(s.Extra["iscrowd"]))
			assert.Equal(t, want.Masks, numbers(s.Mask.Tensor))
			assert.Equal(t, torch.Shape{n, want.Shape[1], want.Shape[2]}, s.Mask.Tensor.Shape())
			if n == 0 {
				return
			}
			assert.Equal(t, want.Canvas, s.Boxes.CanvasSize)
			assert.Equal(t, torch.Shape{n, 3, 2}, s.KeyPoints.Tensor.Shape())
			assert.Equal(t, []any{5.5, 6.0}, s.KeyPoints.Tensor.Double().Index(0, 0).ToList())
			assert.Equal(t, []any{int64(2), int64(1), int64(0)}, s.Extra["visibility"].Index(0).ToList())
		})
	}
	few, err := datasets.NewCocoDetection("testdata/coco", annotations)
	require.NoError(t, err)
	torch.Scope(func() {
		s := few.Get(2).Value.(tv.Sample)
		assert.Equal(t, "Image uint8 (3, 18, 24), Boxes float32 (3, 4) XYXY, Labels int64 (3,), image_id int64 ()",
			s.String())
	})
	assert.Equal(t, "Dataset CocoDetection\n    Number of datapoints: 3\n    Root location: testdata/coco",
		few.String())
}

// Samples of VOC equal those of torchvision.
func TestVOC(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/datasets.json")
	var rows []struct {
		Shape                              torch.Shape
		Boxes                              [][]int64
		Labels, Difficult, Truncated, Mask []int64
	}
	var text string
	g.Decode("voc", &rows)
	g.Decode("text", &text)
	set, err := datasets.NewVOCDetection("testdata", datasets.Year("2008"), datasets.ImageSet("val"))
	require.NoError(t, err)
	masks, err := datasets.NewVOCSegmentation("testdata", datasets.Year("2008"), datasets.ImageSet("val"))
	require.NoError(t, err)
	require.Equal(t, len(rows), set.Len())
	require.Equal(t, len(rows), masks.Len())
	assert.Equal(t, text, set.String())
	assert.Contains(t, masks.String(), "Dataset VOCSegmentation\n")
	assert.Equal(t, "person", set.Categories()[15])
	for i, want := range rows {
		torch.Scope(func() {
			s := set.Get(i).Value.(tv.Sample)
			assert.Equal(t, want.Shape, s.Image.Shape())
			var boxes []int64
			for _, b := range want.Boxes {
				boxes = append(boxes, b...)
			}
			assert.Equal(t, boxes, s.Boxes.Tensor.Reshape(-1).Int64s())
			assert.Equal(t, [2]int64{want.Shape[1], want.Shape[2]}, s.Boxes.CanvasSize)
			assert.Equal(t, want.Labels, s.Labels.Int64s())
			assert.Equal(t, want.Difficult, s.Extra["difficult"].Int64s())
			assert.Equal(t, want.Truncated, s.Extra["truncated"].Int64s())
			m := masks.Get(i).Value.(tv.Sample)
			assert.True(t, m.Image.Equal(s.Image))
			assert.Equal(t, want.Mask, m.Mask.Tensor.Long().Reshape(-1).Int64s())
			assert.Equal(t, torch.Uint8, m.Mask.Tensor.DType())
		})
	}
}

// A loader collates samples, and frees what the datasets make.
func TestLoader(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set, err := datasets.NewCocoDetection("testdata/coco", annotations, all,
		datasets.Transforms(tv.NewCompose(tv.NewResize([]int{8, 8}), tv.NewSanitizeBoundingBoxes(
			tv.LabelsGetter{"Labels", "area", "iscrowd", "visibility"}))))
	require.NoError(t, err)
	assert.Contains(t, set.String(), "Transforms: Compose(")
	for _, workers := range []int{0, 2} {
		n := 0
		for batch := range data.NewLoader(set, data.BatchSize(2), data.NumWorkers(workers),
			data.CollateFn(datasets.Collate)).All() {
			for _, s := range batch.Value.([]tv.Sample) {
				assert.Equal(t, torch.Shape{3, 8, 8}, s.Image.Shape())
				assert.Equal(t, s.Labels.Size(0), s.Mask.Tensor.Size(0))
				n++
			}
		}
		assert.Equal(t, 3, n)
	}
	err = torch.Try(func() { datasets.Collate([]data.Example{{Value: 3}}) })
	require.ErrorIs(t, err, torch.ErrType)
}

// picture writes an image of 4 x 3 pixels to a new folder and returns the folder.
func picture(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 4, 3))))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.png"), b.Bytes(), 0o600))
	return dir
}

// coco returns annotations of a picture with one object, which has the given members.
func coco(object string) string {
	return `{"images": [{"id": 1, "file_name": "a.png"}], "annotations": [{"image_id": 1, ` + object + `}]}`
}

// Damaged annotations of COCO are typed errors, which say where.
func TestDamagedCoco(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := picture(t)
	box := `"category_id": 1, "bbox": [0, 0, 2, 2]`
	points := `, "segmentation": [[0, 0, 3, 0, 3, 3]]`
	for text, c := range map[string]struct {
		kind error
		says string
	}{
		``:                          {torch.ErrTruncated, "ends within"},
		`{"images": [`:              {torch.ErrTruncated, "ends within"},
		`{"images": [}`:             {torch.ErrFormat, "not JSON"},
		`[]`:                        {torch.ErrFormat, "expected an object"},
		`{} {}`:                     {torch.ErrFormat, "more data"},
		`{"images": {}}`:            {torch.ErrFormat, "expected a list"},
		`{"images": [{}]}`:          {torch.ErrFormat, "no id"},
		`{"images": [{"id": "x"}]}`: {torch.ErrFormat, "expected an integer"},
		`{"images": [{"id": 1.5}]}`: {torch.ErrFormat, "expected an integer"},
		`{"images": [{"id": 1, "file_name": 3}]}`:             {torch.ErrFormat, "expected string"},
		`{"images": [{"id": 1, "file_name": "../b.png"}]}`:    {torch.ErrFormat, "not in the folder"},
		`{"images": [{"id": 1, "file_name": "/etc/passwd"}]}`: {torch.ErrFormat, "not in the folder"},
		`{"categories": [{"name": "x"}]}`:                     {torch.ErrFormat, "category has no id"},
		`{"annotations": [{"id": 1}]}`:                        {torch.ErrFormat, "no image_id"},
		coco(`"bbox": [0, 0, 2, 2]` + points):                 {torch.ErrFormat, "no category_id"},
		coco(`"category_id": 1` + points):                     {torch.ErrFormat, "bbox of 4"},
		coco(`"category_id": 1, "bbox": [1]` + points):        {torch.ErrFormat, "bbox of 4"},
		coco(`"category_id": 1, "bbox": [1e99, 0, 0, 0]`):     {torch.ErrFormat, "BBox"},
		coco(box): {torch.ErrFormat, "no segmentation"},
		coco(box + points + `, "keypoints": [1, 2]`): {torch.ErrFormat, "groups of 3"},
	} {
		path := filepath.Join(dir, "bad.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		limit := filetest.Limit{Bytes: 1 << 16, Times: 64}
		e := filetest.Bounded(t, path, int64(len(text)), c.kind, limit, func() error {
			_, err := datasets.NewCocoDetection(dir, path, all)
			return err
		})
		assert.ErrorContains(t, e, c.says, text)
	}
	for object, c := range map[string]struct {
		kind error
		says string
	}{
		`"segmentation": 3`:                                    {torch.ErrFormat, "list of polygons"},
		`"segmentation": [[0, 0, 1, 1]]`:                       {torch.ErrFormat, "at least 3 points"},
		`"segmentation": [[0, 0, 1, 1, 2, 2, 3]]`:              {torch.ErrFormat, "at least 3 points"},
		`"segmentation": [[0, 0, 1e12, 1, 2, 2]]`:              {torch.ErrFormat, "longer"},
		`"segmentation": {"counts": "04"}`:                     {torch.ErrMismatch, "the image's size"},
		`"segmentation": {"size": [4, 3], "counts": [12]}`:     {torch.ErrMismatch, "[3 4]"},
		`"segmentation": {"size": [3, 4], "counts": [0, 13]}`:  {torch.ErrFormat, "do not fit"},
		`"segmentation": {"size": [3, 4], "counts": "P"}`:      {torch.ErrFormat, "end within"},
		`"segmentation": {"size": [3, 4], "counts": {"a": 1}}`: {torch.ErrFormat, "for counts"},
		`"segmentation": {"size": [3, 4], "counts": null}`:     {torch.ErrFormat, "for counts"},
		`"segmentation": {"size": [300, 4], "counts": [1]}`:    {torch.ErrMismatch, "got [300 4]"},
		`"segmentation": [` + strings.Repeat("[-4e3, -4e3, 4e3, 4e3, -4e3, 4e3], ", 50) + `[0, 0, 3, 0, 3, 3]]`: {
			torch.ErrFormat, "longer",
		},
	} {
		path := filepath.Join(dir, "bad.json")
		text := coco(box + ", " + object)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		set, err := datasets.NewCocoDetection(dir, path, datasets.TargetKeys{"masks"})
		require.NoError(t, err)
		limit := filetest.Limit{Bytes: 1 << 18, Times: 64}
		e := filetest.Bounded(t, path, int64(len(text)), c.kind, limit, func() error {
			_, err := set.Sample(0)
			return err
		})
		assert.ErrorContains(t, e, c.says, object)
		assert.ErrorContains(t, e, `of image "a.png"`)
		require.ErrorIs(t, torch.Try(func() { set.Get(0) }), c.kind)
		_, err = set.TryGet(0)
		require.ErrorIs(t, err, c.kind)
	}
	path := filepath.Join(dir, "two.json")
	require.NoError(t, os.WriteFile(path, []byte(coco(box+`, "keypoints": [1, 2, 3]}, {"image_id": 1, `+box)), 0o600))
	set, err := datasets.NewCocoDetection(dir, path, datasets.TargetKeys{"keypoints"})
	require.NoError(t, err)
	_, err = set.Sample(0)
	require.ErrorContains(t, err, "different numbers of key points")
	require.NoError(t, os.WriteFile(path, []byte(coco(box+points)), 0o600))
	set, err = datasets.NewCocoDetection(dir, path, datasets.TargetKeys{"masks"}, datasets.MaxMaskBytes(11))
	require.NoError(t, err)
	_, err = set.Sample(0)
	require.ErrorContains(t, err, "MaxMaskBytes")
}

// Files that are missing, or are no files, are errors.
func TestMissingFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	_, err := datasets.NewCocoDetection(dir, filepath.Join(dir, "x.json"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = datasets.NewCocoDetection(dir, dir)
	require.ErrorIs(t, err, torch.ErrFormat)
	set, err := datasets.NewCocoDetection(dir, annotations)
	require.NoError(t, err)
	_, err = set.Sample(0)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorAs(t, err, new(*data.FileError))
	require.ErrorIs(t, torch.Try(func() { _, _ = set.Sample(3) }), torch.ErrIndex)
	require.ErrorIs(t, torch.Try(func() {
		_, _ = datasets.NewCocoDetection(dir, annotations, datasets.ImageOptions{nil})
	}), torch.ErrNil)
	require.ErrorIs(t, torch.Try(func() { set.Image(-1) }), torch.ErrIndex)
	_, err = datasets.NewVOCDetection(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = datasets.NewVOCSegmentation(dir, datasets.Year("2011"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, filepath.Join("TrainVal", "VOCdevkit", "VOC2011"))
}

// voc writes a dataset with one image of 4 x 3 pixels and returns its root.
func voc(t testing.TB, list, annotation string, mask image.Image) string {
	t.Helper()
	root := t.TempDir()
	base := filepath.Join(root, "VOCdevkit", "VOC2012")
	var picture, pixels bytes.Buffer
	require.NoError(t, jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 3)), nil))
	if mask != nil {
		require.NoError(t, png.Encode(&pixels, mask))
	}
	for name, text := range map[string]string{
		"ImageSets/Main/train.txt": list, "ImageSets/Segmentation/train.txt": list,
		"JPEGImages/a.jpg": picture.String(), "Annotations/a.xml": annotation,
		"SegmentationClass/a.png": pixels.String(),
	} {
		path := filepath.Join(base, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return root
}

func vocObject(name, box string) string {
	return "<annotation><object><name>" + name + "</name><bndbox>" + box + "</bndbox></object></annotation>"
}

// Damaged files of VOC are typed errors.
func TestDamagedVOC(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	box := "<xmin>1</xmin><ymin>1.9</ymin><xmax> 3 </xmax><ymax>2</ymax>"
	for text, c := range map[string]struct {
		kind error
		says string
	}{
		"":                        {torch.ErrTruncated, "ends within"},
		"<annotation><object>":    {torch.ErrTruncated, "ends within"},
		"<annotation></object>":   {torch.ErrFormat, "not annotations"},
		"<html></html>":           {torch.ErrFormat, "not annotations"},
		vocObject("unicorn", box): {torch.ErrFormat, `"unicorn", which is not in Categories`},
		vocObject("dog", ""):      {torch.ErrFormat, "expected a coordinate"},
		vocObject("dog", strings.Replace(box, "1.9", "NaN", 1)):  {torch.ErrFormat, "expected a coordinate"},
		vocObject("dog", strings.Replace(box, "1.9", "1e40", 1)): {torch.ErrFormat, "expected a coordinate"},
		"<annotation>" + strings.Repeat("<a>", 20000):            {torch.ErrTruncated, "ends within"},
	} {
		root := voc(t, "a\n", text, nil)
		set, err := datasets.NewVOCDetection(root)
		require.NoError(t, err)
		path := filepath.Join(root, "VOCdevkit/VOC2012/Annotations/a.xml")
		limit := filetest.Limit{Bytes: 1 << 18, Times: 256}
		e := filetest.Bounded(t, path, int64(len(text)), c.kind, limit, func() error {
			_, err := set.Sample(0)
			return err
		})
		assert.ErrorContains(t, e, c.says, text)
	}
	for _, name := range []string{"", "../a", "a/b", "/a"} {
		_, err := datasets.NewVOCDetection(voc(t, name+"\n", "", nil))
		require.ErrorIs(t, err, torch.ErrFormat, name)
	}
	for says, mask := range map[string]image.Image{
		"image's size of 3 x 4, got 4 x 3": image.NewGray(image.Rect(0, 0, 3, 4)),
		"with a palette":                   image.NewRGBA(image.Rect(0, 0, 4, 3)),
		"not a PNG":                        nil,
	} {
		set, err := datasets.NewVOCSegmentation(voc(t, "a", "", mask))
		require.NoError(t, err)
		_, err = set.TryGet(0)
		require.ErrorAs(t, err, new(*torch.FileError))
		require.ErrorContains(t, err, says)
	}
	torch.Scope(func() {
		set, err := datasets.NewVOCDetection(voc(t, "a", vocObject("dog", box), nil), datasets.Categories{"cat", "dog"})
		require.NoError(t, err)
		s, err := set.Sample(0)
		require.NoError(t, err)
		assert.Equal(t, []int64{1, 1, 3, 2}, s.Boxes.Tensor.Reshape(-1).Int64s())
		assert.Equal(t, []int64{1}, s.Labels.Int64s())
		gray := image.NewGray(image.Rect(0, 0, 4, 3))
		gray.SetGray(1, 2, color.Gray{7})
		masks, err := datasets.NewVOCSegmentation(voc(t, "a", "", gray))
		require.NoError(t, err)
		s, err = masks.Sample(0)
		require.NoError(t, err)
		assert.Equal(t, int64(7), s.Mask.Tensor.Index(2, 1).ItemInt())
	})
}

// A method of a dataset that no constructor made panics with ErrNil and the method's name, except String.
func TestMade(t *testing.T) {
	for _, d := range []interface {
		data.TryDataset
		Sample(i int) (tv.Sample, error)
		String() string
	}{
		(*datasets.CocoDetection)(nil), new(datasets.CocoDetection), (*datasets.VOCDetection)(nil),
		new(datasets.VOCDetection), (*datasets.VOCSegmentation)(nil), new(datasets.VOCSegmentation),
	} {
		name := strings.TrimPrefix(fmt.Sprintf("%T", d), "*")
		for method, fn := range map[string]func(){
			"Len": func() { d.Len() }, "Get": func() { d.Get(0) }, "TryGet": func() { _, _ = d.TryGet(0) },
			"Sample": func() { _, _ = d.Sample(0) },
		} {
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrNil)
			assert.ErrorContains(t, err, name+"."+method+":")
		}
		assert.Equal(t, strings.TrimPrefix(name, "datasets.")+"(nil)", d.String())
	}
	c, v := new(datasets.CocoDetection), new(datasets.VOCDetection)
	for _, fn := range []func(){
		func() { c.IDs() }, func() { c.Image(0) }, func() { c.Categories() }, func() { v.Categories() },
	} {
		require.ErrorIs(t, torch.Try(fn), torch.ErrNil)
	}
}

// FuzzCoco checks that any annotations give samples or errors.
func FuzzCoco(f *testing.F) {
	text, err := os.ReadFile(annotations)
	require.NoError(f, err)
	f.Add(string(text))
	f.Add(coco(`"category_id": 1, "bbox": [0, 0, 2, 2], "segmentation": {"size": [3, 4], "counts": "132"}`))
	f.Add(coco(`"category_id": 1, "bbox": [0, 0, 2, 2], "segmentation": [[0, 0, 3, 0, 3, 3]], "keypoints": [1, 2, 3]`))
	dir := picture(f)
	path := filepath.Join(dir, "fuzz.json")
	f.Fuzz(func(t *testing.T, text string) {
		before := torch.NumLiveTensors()
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		set, err := datasets.NewCocoDetection(dir, path, all)
		if err != nil {
			require.ErrorAs(t, err, new(*torch.FileError))
			return
		}
		for i := range min(set.Len(), 10) {
			torch.Scope(func() {
				if _, err := set.Sample(i); err != nil && !errors.As(err, new(*torch.FileError)) {
					require.ErrorAs(t, err, new(*data.FileError))
				}
			})
		}
		require.Equal(t, before, torch.NumLiveTensors())
	})
}

// FuzzVOC checks that any annotations give samples or errors.
func FuzzVOC(f *testing.F) {
	text, err := os.ReadFile("testdata/VOCdevkit/VOC2008/Annotations/2008_000001.xml")
	require.NoError(f, err)
	f.Add(string(text))
	f.Add(vocObject("dog", "<xmin>1</xmin>"))
	root := voc(f, "a", "", nil)
	path := filepath.Join(root, "VOCdevkit/VOC2012/Annotations/a.xml")
	f.Fuzz(func(t *testing.T, text string) {
		before := torch.NumLiveTensors()
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		set, err := datasets.NewVOCDetection(root)
		require.NoError(t, err)
		torch.Scope(func() {
			if _, err := set.Sample(0); err != nil {
				require.ErrorAs(t, err, new(*torch.FileError))
			}
		})
		require.Equal(t, before, torch.NumLiveTensors())
	})
}

// TestOptions tests each option of each constructor alone, after a different value, and next to a nil
// option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values, refused := optiontest.Values, optiontest.Refused
	show := func(set data.TryDataset, err error) optiontest.Outcome {
		out := optiontest.Outcome{"error": fmt.Sprint(err)}
		if err != nil {
			return out
		}
		out["dataset"] = fmt.Sprint(set)
		torch.Scope(func() {
			e, err := set.TryGet(set.Len() - 1)
			out["sample"] = fmt.Sprint(e.Value, err)
			if s, ok := e.Value.(tv.Sample); ok && s.Labels != nil {
				out["sample"] = fmt.Sprint(out["sample"], s.Labels.ToList())
			}
		})
		return out
	}
	resize := values(datasets.Transforms(tv.NewResize(5)), datasets.Transforms(nil)).Hides("error", "there is none")
	images := values(datasets.ImageOptions{data.ImageReadModeGray}, datasets.ImageOptions{data.ImageReadModeRGBAlpha}).
		Hides("error", "there is none").Hides("dataset", "it is about images")
	year := values(datasets.Year("2008"), datasets.Year("2009"))
	lists := values(datasets.ImageSet("val"), datasets.ImageSet("train"))
	wrong := []optiontest.Pair{
		refused(datasets.Year("2013")), refused(datasets.ImageSet("../val")),
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewCocoDetection": optiontest.For(func(opts ...datasets.CocoDetectionOption) optiontest.Outcome {
			set, err := datasets.NewCocoDetection("testdata/coco", annotations,
				append([]datasets.CocoDetectionOption{datasets.TargetKeys{"masks"}}, opts...)...)
			return show(set, err)
		}, resize, images, refused(datasets.TargetKeys{"x"}), refused(datasets.MaxMaskBytes(0)),
			values(datasets.TargetKeys{"boxes"}, datasets.TargetKeys{}).Hides("error", "there is none").
				Hides("dataset", "it is about samples"),
			values(datasets.MaxMaskBytes(1), datasets.MaxMaskBytes(1<<20)).Hides("error", "there is none").
				Hides("dataset", "it is about samples")),
		"NewVOCDetection": optiontest.For(func(opts ...datasets.VOCDetectionOption) optiontest.Outcome {
			set, err := datasets.NewVOCDetection("testdata",
				append([]datasets.VOCDetectionOption{datasets.Year("2008"), datasets.ImageSet("val")}, opts...)...)
			return show(set, err)
		}, append(wrong, resize, images, year, lists,
			values(datasets.Categories{"tvmonitor"}, datasets.Categories(nil)).
				Hides("error", "there is none").Hides("dataset", "it is about samples"))...),
		"NewVOCSegmentation": optiontest.For(func(opts ...datasets.VOCSegmentationOption) optiontest.Outcome {
			set, err := datasets.NewVOCSegmentation("testdata",
				append([]datasets.VOCSegmentationOption{datasets.Year("2008"), datasets.ImageSet("val")}, opts...)...)
			return show(set, err)
		}, append(wrong, resize, images, year, lists)...),
	})
	s := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/vision/datasets"}}
	s.Accepts(t, `datasets.NewVOCDetection("x", datasets.Year("2007"))`)
	s.Rejects(t, `datasets.NewVOCSegmentation("x", datasets.Categories{"a"})`,
		`datasets.NewCocoDetection("x", "y", datasets.Year("2007"))`)
}
