package main

// ownership draws how a handle holds native memory until one of three events frees it.
func ownership() string {
	c := &canvas{width: 820, height: 250}
	c.group(14, 12, 250, 222, "Go's memory")
	c.box(goSide, 34, 90, 210, 60, "`x *torch.Tensor`", "~ 80 bytes")
	c.group(294, 12, 250, 222, "native memory: Go does not see it")
	c.box(native, 314, 48, 210, 60, "libtorch's tensor", "~ shape, dtype, gradient")
	c.box(native, 314, 156, 210, 60, "storage: the numbers", "~ often megabytes")
	c.arrow(244, 110, 314, 80)
	c.arrow(419, 108, 419, 156)
	c.text(574, 34, "start", "The first of these gives it back:")
	c.box(kept, 574, 48, 232, 50, "1  `x.Close()`: now")
	c.box(kept, 574, 110, 232, 50, "2  the end of the torch.Scope", "~ all that was made in it")
	c.box(kept, 574, 172, 232, 50, "3  Go's garbage collector", "~ once nothing refers to x")
	return c.svg("A Go handle holds a native tensor and its storage; Close, the end of a scope or the garbage " +
		"collector gives them back, whichever comes first")
}

// views draws several handles that share one storage.
func views() string {
	c := &canvas{width: 820, height: 214}
	c.text(20, 30, "start", "`row := x.Index(0)`")
	c.box(goSide, 20, 52, 110, 40, "`x`")
	c.box(goSide, 20, 130, 110, 40, "`row`")
	c.box(native, 190, 84, 160, 52, "storage, 4 MiB", "~ 2 references")
	c.arrow(130, 72, 190, 100)
	c.arrow(130, 150, 190, 122)
	c.text(430, 30, "start", "after `x.Close()`")
	c.box(freed, 430, 52, 110, 40, "`x`", "~ closed")
	c.box(goSide, 430, 130, 110, 40, "`row`")
	c.box(native, 600, 84, 160, 52, "storage, 4 MiB", "~ 1 reference: it stays")
	c.arrow(540, 150, 600, 122)
	c.text(20, 200, "start", "~ A view of one row keeps all rows. Clone it if you want to keep the row alone.")
	return c.svg("A tensor and its view share one storage, which stays until both are closed")
}

// step draws the values that the scope of a training step frees.
func step() string {
	c := &canvas{width: 820, height: 300}
	c.group(14, 12, 470, 232, "one step: torch.Scope, or the body of a loader's loop")
	c.box(freed, 34, 48, 130, 44, "batch")
	c.box(freed, 184, 48, 130, 44, "activations")
	c.box(freed, 334, 48, 130, 44, "loss")
	c.arrow(164, 70, 184, 70)
	c.arrow(314, 70, 334, 70)
	c.box(freed, 184, 122, 280, 44, "graph: what the backward pass needs", "~ Backward frees it already")
	c.weak(249, 92, 249, 122)
	c.weak(399, 92, 399, 122)
	c.box(freed, 34, 122, 130, 44, "temporaries", "~ of your own")
	c.text(34, 196, "start", "All of it is freed in one batch when the step ends,")
	c.text(34, 214, "start", "also by a return, a break or a panic.")
	c.text(524, 32, "start", "Outlives the step:")
	c.box(kept, 524, 48, 282, 40, "parameters and buffers of the model")
	c.box(kept, 524, 98, 282, 40, "their gradients, until ZeroGrad")
	c.box(kept, 524, 148, 282, 40, "the optimizer's state")
	c.box(goSide, 524, 198, 282, 40, "numbers: `total += loss.Item()`")
	c.arrow(464, 86, 524, 206)
	c.text(14, 276, "start", "~ Kept too: what torch.Keep or torch.Disown takes out, and what other goroutines make.")
	return c.svg("A training step frees its batch, activations, loss and graph; parameters, gradients and the " +
		"optimizer's state outlive it")
}

// scopes draws the owners to which Keep, Disown and Tidy move a tensor.
func scopes() string {
	c := &canvas{width: 820, height: 280}
	c.group(14, 12, 520, 254, "outer torch.Scope")
	c.group(34, 50, 230, 196, "inner torch.Scope")
	c.box(freed, 54, 84, 190, 34, "`a`: freed at its end")
	c.box(kept, 54, 132, 190, 34, "`torch.Keep(b)`")
	c.box(kept, 54, 180, 190, 34, "`torch.Disown(c)`")
	c.text(54, 236, "start", "~ torch.Tidy: Keep, for its result")
	c.arrow(244, 149, 344, 149)
	c.box(freed, 344, 126, 170, 46, "`b` belongs here now", "~ freed at this end")
	c.arrow(244, 197, 594, 197)
	c.text(594, 34, "start", "in no scope")
	c.box(goSide, 594, 168, 212, 58, "`c`: until Close, or", "until the collector finds it")
	c.box(goSide, 594, 50, 212, 58, "parameters, the optimizer's", "state: always here")
	return c.svg("Keep moves a tensor to the scope around, Disown out of all scopes, and Tidy keeps its result")
}
