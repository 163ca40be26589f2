package main

// capture draws the time of a small training step without a graph and in a replay. The
// numbers are from the benchmark graph.mlp.eager and from a profile of replays, on two
// cores of an AMD EPYC. See docs/graphs.md.
func capture() string {
	c := &canvas{width: 820, height: 250}
	c.text(14, 26, "start", "A training step without a graph, 343 µs")
	c.box(native, 14, 38, 172, 46, "operators", "~ 74 µs")
	c.box(freed, 186, 38, 620, 46, "all else: dispatch, the record of gradients, allocation, Go", "~ 269 µs")
	c.weak(14, 84, 14, 134)
	c.weak(186, 84, 806, 134)
	c.text(14, 120, "start", "A replay, 74 µs")
	at := 14
	for _, part := range []struct {
		width int
		text  []string
	}{
		{309, []string{"products of matrices", "~ 39 %"}},
		{149, []string{"AdamW", "~ 19 %"}},
		{95, []string{"softmax, loss", "~ 12 %"}},
		{65, []string{"sums", "~ 8 %"}},
		{56, []string{"ReLU", "~ 7 %"}},
		{118, []string{"copies, views", "~ 15 %"}},
	} {
		c.box(native, at, 134, part.width, 46, part.text...)
		at += part.width
	}
	c.text(14, 216, "start", "~ 32-64-64-10 network, batch of 16, cross entropy, AdamW with the fused kernel, one "+
		"thread. Where matrices are")
	c.text(14, 234, "start", "~ large the upper row is all operators, and a graph has nothing to take away.")
	return c.svg("Of a small training step's 343 microseconds the operators take 74; a replay runs them and nothing " +
		"else")
}
