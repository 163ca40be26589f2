package main

// loader draws how batches move from the sampler to the training steps.
func loader() string {
	c := &canvas{width: 820, height: 300}
	c.group(10, 14, 170, 272, "the loop's goroutine")
	c.box(kept, 26, 56, 138, 50, "sampler", "~ indices, ahead")
	c.box(goSide, 26, 196, 138, 66, "a step", "~ its scope takes the", "~ batch over")
	c.group(250, 14, 400, 126, "worker 0: batches 0, 2, 4 ...")
	c.text(470, 34, "start", "~ its own random numbers")
	c.box(native, 266, 56, 90, 50, "Get", "~ each example")
	c.box(native, 376, 56, 70, 50, "collate", "~ copies")
	c.box(native, 466, 56, 86, 50, "transform")
	c.box(native, 572, 56, 70, 50, "device", "~ pin, copy")
	c.text(266, 128, "start", "~ each stage in a scope, which frees what it made on the way")
	c.group(250, 150, 400, 38, "worker 1: batches 1, 3, 5 ...")
	c.box(kept, 690, 56, 116, 206, "made ahead", "~ PrefetchFactor", "~ for each worker;", "~ freed if the loop",
		"~ ends early")
	c.arrow(164, 81, 264, 81)
	c.arrow(164, 90, 248, 166)
	c.arrow(356, 81, 374, 81)
	c.arrow(446, 81, 464, 81)
	c.arrow(552, 81, 570, 81)
	c.arrow(642, 81, 688, 81)
	c.arrow(650, 169, 688, 169)
	c.arrow(690, 229, 166, 229)
	c.text(420, 222, "middle", "~ in the order of the sampler")
	return c.svg("The loop hands indices to workers, which get, collate, transform and move batches; the steps get " +
		"them in the order of the sampler")
}

// training draws an epoch with its steps and its validation.
func training() string {
	c := &canvas{width: 820, height: 400}
	c.group(10, 14, 800, 372, "an epoch")
	c.group(24, 44, 772, 228, "`for batch := range loader.All()`")
	c.text(310, 64, "start", "~ a scope: batch, activations and loss are freed at its end")
	c.box(native, 40, 84, 110, 54, "forward", "~ builds the graph")
	c.box(native, 190, 84, 110, 54, "loss", "~ ÷ batches a step")
	c.box(native, 340, 84, 110, 54, "Backward", "~ adds to Grad")
	c.box(goSide, 490, 84, 290, 54, "`total += loss.Item()`", "~ what is kept is a number, no tensor")
	c.arrow(150, 111, 188, 111)
	c.arrow(300, 111, 338, 111)
	c.arrow(450, 111, 488, 111)
	c.group(40, 164, 740, 92, "every k batches: a step")
	c.box(kept, 56, 196, 130, 46, "`ClipGradNorm`")
	c.box(kept, 226, 196, 130, 46, "`opt.Step`")
	c.box(kept, 396, 196, 130, 46, "`opt.ZeroGrad`")
	c.box(kept, 566, 196, 130, 46, "`sched.Step`")
	c.arrow(186, 219, 224, 219)
	c.arrow(356, 219, 394, 219)
	c.arrow(526, 219, 564, 219)
	c.arrow(395, 138, 395, 162)
	c.group(24, 288, 470, 84, "`torch.NoGrad`")
	c.text(150, 308, "start", "~ no graph; afterwards memory is what it was, to the byte")
	c.box(goSide, 40, 318, 130, 42, "`model.Eval()`")
	c.box(goSide, 200, 318, 130, 42, "validation")
	c.box(goSide, 360, 318, 118, 42, "`model.Train()`")
	c.arrow(170, 339, 198, 339)
	c.arrow(330, 339, 358, 339)
	c.arrow(494, 339, 528, 339)
	c.box(kept, 530, 312, 250, 54, "best weights, early stopping,", "metrics, saving")
	return c.svg("An epoch: steps in scopes, every few batches one of the optimizer, then validation without a graph")
}
