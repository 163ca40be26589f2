package datasets_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/vision/datasets"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// Load batches of images with their objects.
func Example() {
	set, err := datasets.NewCocoDetection("testdata/coco", "testdata/coco/instances.json",
		datasets.Transforms(tv.NewResize(16)))
	if err != nil {
		panic(err)
	}
	for batch := range data.NewLoader(set, data.BatchSize(3), data.CollateFn(datasets.Collate)).All() {
		for _, s := range batch.Value.([]tv.Sample) {
			fmt.Println(s)
		}
	}
	// Output:
	// Image uint8 (3, 21, 16), Boxes float32 (1, 4) XYXY, Labels int64 (1,), image_id int64 ()
	// Image uint8 (3, 16, 19), Boxes float32 (0, 4) XYXY, Labels int64 (0,), image_id int64 ()
	// Image uint8 (3, 16, 21), Boxes float32 (3, 4) XYXY, Labels int64 (3,), image_id int64 ()
}

func ExampleCocoDetection() {
	set, err := datasets.NewCocoDetection("testdata/coco", "testdata/coco/instances.json",
		datasets.TargetKeys{"boxes", "masks"})
	if err != nil {
		panic(err)
	}
	s, err := set.Sample(2)
	if err != nil {
		panic(err)
	}
	defer s.Close()
	fmt.Println(set.Image(2).FileName, set.Categories()[0].Name)
	fmt.Println(s)
	// Output:
	// nine.png person
	// Image uint8 (3, 18, 24), Boxes float32 (3, 4) XYXY, Mask uint8 (3, 18, 24)
}

func ExampleVOCDetection() {
	set, err := datasets.NewVOCDetection("testdata", datasets.Year("2008"), datasets.ImageSet("val"))
	if err != nil {
		panic(err)
	}
	s, err := set.Sample(0)
	if err != nil {
		panic(err)
	}
	defer s.Close()
	for i, label := range s.Labels.Int64s() {
		fmt.Println(set.Categories()[label], s.Boxes.Tensor.Select(0, int64(i)).ToList())
	}
	// Output:
	// dog [3 2 15 11]
	// person [1 1 9 12]
}

func ExampleVOCSegmentation() {
	set, err := datasets.NewVOCSegmentation("testdata", datasets.Year("2008"), datasets.ImageSet("val"))
	if err != nil {
		panic(err)
	}
	torch.Scope(func() {
		s, err := set.Sample(0)
		if err != nil {
			panic(err)
		}
		fmt.Println(s, s.Mask.Tensor.Max().Item())
	})
	// Output: Image uint8 (3, 12, 16), Mask uint8 (12, 16) 20
}
