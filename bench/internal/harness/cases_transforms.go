package harness

// imageTransforms compares transforms of a uint8 image with torchvision's (v2) on one
// thread: Resize from 640 x 480 to 224 x 224, ColorJitter with all four adjustments at
// 224 x 224, and the transforms for ImageNet training. These are RandomResizedCrop to
// 224, a flip, conversion to float32 and Normalize.
func imageTransforms() Group {
	return Group{
		Measures: []Measure{
			{ID: "resize", By: Ours, Case: "transform.resize", Iterations: 300},
			{ID: "resize_python", By: "python", Case: "transform.resize", Iterations: 300},
			{ID: "jitter", By: Ours, Case: "transform.jitter", Iterations: 60},
			{ID: "jitter_python", By: "python", Case: "transform.jitter", Iterations: 60},
			{ID: "train", By: Ours, Case: "transform.train", Iterations: 200},
			{ID: "train_python", By: "python", Case: "transform.train", Iterations: 200},
		},
		Rows: []Row{
			{"data.transform.resize.python", "ns", time("resize"), time("resize_python"), pythonName},
			{"data.transform.jitter.python", "ns", time("jitter"), time("jitter_python"), pythonName},
			{"data.transform.train.python", "ns", time("train"), time("train_python"), pythonName},
		},
	}
}
