package harness

// visionModels compares a ResNet-18 of package vision/models with torchvision's, on four
// images of 224 x 224 and one thread. The rows are a forward pass in evaluation mode
// without gradients, and a training step with SGD. There is a second row for each in the
// channels-last memory format. More rows compare operators on boxes, and a detector.
func visionModels() Group {
	ours, python := "vision_ours", "vision_python"
	g := Group{
		MaxRounds: 5,
		Measures: []Measure{
			{ID: ours, By: ours, Program: true},
			{ID: python, By: python, Program: true},
		},
	}
	for _, phase := range []string{"infer", "train"} {
		last := phase + "_channels_last"
		g.Rows = append(g.Rows,
			Row{"vision.resnet18." + phase + ".python", "ns", named(ours, phase), named(python, phase), "torchvision"},
			Row{
				"vision.resnet18." + phase + ".channels_last.python", "ns", named(ours, last), named(python, last),
				"torchvision",
			})
	}
	for _, name := range []string{"nms", "roi_align", "deform", "detect"} {
		g.Rows = append(g.Rows,
			Row{"vision." + name + ".python", "ns", named(ours, name), named(python, name), "torchvision"})
	}
	return g
}

// visionArgs are the arguments for the Go and Python programs.
var visionArgs = []string{"--threads", "1"}

func prepareVisionOurs(b *Toolbox) (command, error) {
	binary, err := b.goBuild("vision", "vision", "./internal/bench")
	return program(nil, binary, visionArgs...), err
}

func prepareVisionPython(b *Toolbox) (command, error) {
	python, err := b.Python()
	return program(nil, python, append([]string{b.path("vision/internal/bench/reference.py")}, visionArgs...)...), err
}
