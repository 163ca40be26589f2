package data_test

import (
	"archive/tar"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// exampleFolder makes a directory of gray images of 8 x 8 pixels in two classes.
func exampleFolder() (root string, done func()) {
	root, err := os.MkdirTemp("", "images")
	if err != nil {
		panic(err)
	}
	for i, name := range []string{"cat/1.png", "cat/2.png", "dog/1.png"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		img := image.NewGray(image.Rect(0, 0, 8, 8))
		for k := range img.Pix {
			img.Pix[k] = uint8(60 * i)
		}
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		f, err := os.Create(path)
		if err != nil {
			panic(err)
		}
		_ = png.Encode(f, img)
		_ = f.Close()
	}
	return root, func() { _ = os.RemoveAll(root) }
}

func ExampleNewImageFolder() {
	root, done := exampleFolder()
	defer done()
	set, err := data.NewImageFolder(root)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Classes(), set.Len())
	for batch := range data.NewLoader(set, data.BatchSize(2)).All() {
		fmt.Println(batch.Input.Shape(), batch.Target.Int64s())
	}
	// Output:
	// [cat dog] 3
	// (2, 3, 8, 8) [0 0]
	// (1, 3, 8, 8) [1]
}

func ExampleReadImage() {
	img, err := data.ReadImage("testdata/images/rgba.png", data.ImageReadModeRGB)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer img.Close()
	fmt.Println(img.DType(), img.Shape())
	_, err = data.ReadImage("testdata/images/rgba.png", data.MaxPixels(50))
	fmt.Println(err)
	// Output:
	// uint8 (3, 7, 11)
	// data: testdata/images/rgba.png: not decoded: not a file of the expected format: the image has 11 x 7 pixels, more than the 50 that MaxPixels allows
}

func ExampleDecoder() {
	checker := func(b []byte, s data.ImageSettings) (*torch.Tensor, error) {
		if len(b) != 3 {
			return nil, fmt.Errorf("%d bytes, expected 3", len(b))
		}
		return torch.FromSlice(b, 3, 1, 1), nil
	}
	img, err := data.DecodeImage([]byte{255, 128, 0}, data.Decoder(checker))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer img.Close()
	fmt.Println(img.ToList())
	// Output: [[[255]] [[128]] [[0]]]
}

func ExampleReadCSV() {
	const text = "length,width,species\n5,3.5,setosa\n7.0,,versicolor\n6.25,3.5,setosa\n"
	table, err := data.DecodeCSV(strings.NewReader(text), "iris.csv", data.Categories{"species": nil}, data.FillNA(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer table.Close()
	fmt.Println(table)
	fmt.Println(table.Words("species"), table.Column("species").Int64s())
	set := table.Dataset("species")
	defer set.Close()
	for batch := range data.NewLoader(set, data.BatchSize(3)).All() {
		fmt.Println(batch.Input.ToList(), batch.Target.Int64s())
	}
	_, err = data.DecodeCSV(strings.NewReader("a,b\n1,2\n3,x\n"), "bad.csv")
	fmt.Println(err)
	// Output:
	// Table(3 rows: length float32, width float32, species int64)
	// [setosa versicolor] [0 1 0]
	// [[5 3.5] [7 0] [6.25 3.5]] [0 1 0]
	// data: bad.csv: line 3, column 3, field "b": "x" is not a valid float32
}

func ExampleNewCSVDataset() {
	set, err := data.NewCSVDataset("testdata/points.csv", data.Targets{"label"})
	if err != nil {
		fmt.Println(err)
		return
	}
	torch.Scope(func() {
		err = set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
			fmt.Println(e.Input.ToList(), e.Target.Item())
			return true
		})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [1 2] 0
	// [3 4] 1
}

func ExampleNewWebDataset() {
	dir, err := os.MkdirTemp("", "shards")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for i := range 2 {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("train-%03d.tar", i)))
		if err != nil {
			panic(err)
		}
		w := tar.NewWriter(f)
		for _, m := range []struct{ name, text string }{{"sample.cls", fmt.Sprint(i)}, {"sample.bin", "abc"}} {
			_ = w.WriteHeader(&tar.Header{Name: m.name, Size: int64(len(m.text)), Mode: 0o600})
			_, _ = w.Write([]byte(m.text))
		}
		_, _ = w.Close(), f.Close()
	}
	set, err := data.NewWebDataset([]string{filepath.Join(dir, "train-{000..001}.tar")}, data.Fields{"bin", "cls"})
	if err != nil {
		fmt.Println(err)
		return
	}
	torch.Scope(func() {
		err = set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
			fmt.Println(e.Input.ToList(), e.Target.Item())
			return true
		})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [97 98 99] 0
	// [97 98 99] 1
}

func ExampleExpandBraces() {
	names, err := data.ExpandBraces("{train,val}-{08..10}.tar")
	fmt.Println(names, err)
	// Output: [train-08.tar train-09.tar train-10.tar val-08.tar val-09.tar val-10.tar] <nil>
}

func ExampleNewDatasetFolder() {
	root, done := exampleFolder()
	defer done()
	brightness := func(path string) (*torch.Tensor, error) {
		img, err := data.ReadImage(path)
		if err != nil {
			return nil, err
		}
		return img.To(torch.Float32).Mean(), nil // the dataset frees img and other temporary tensors
	}
	set, err := data.NewDatasetFolder(root, brightness, data.Extensions{".png"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for batch := range data.NewLoader(set, data.BatchSize(3)).All() {
		fmt.Println(batch.Input.Float32s())
	}
	// Output: [0 60 120]
}
