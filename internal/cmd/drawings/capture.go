package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// capture draws the time of a small training step without a graph and in a replay. The
// times are those of the benchmark graph.mlp.eager. The shares of a replay are from a
// profile on another machine. See docs/graphs.md.
func capture(measured map[string][]string) (string, error) {
	replay, eager, err := microseconds(measured["graph.mlp.eager"])
	if err != nil {
		return "", fmt.Errorf("docs/benchmarks.md, graph.mlp.eager: %w", err)
	}
	const whole = 792 // width of a bar
	part := int(math.Round(whole * replay / eager))
	c := &canvas{width: 820, height: 250}
	c.text(14, 26, "start", fmt.Sprintf("A training step without a graph, %.0f µs", eager))
	c.box(native, 14, 38, part, 46, "operators", fmt.Sprintf("~ %.0f µs", replay))
	c.box(freed, 14+part, 38, whole-part, 46, "dispatch, the record of gradients, allocation, Go",
		fmt.Sprintf("~ %.0f µs", eager-replay))
	c.weak(14, 84, 14, 134)
	c.weak(14+part, 84, 806, 134)
	c.text(14, 120, "start", fmt.Sprintf("A replay, %.0f µs", replay))
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
	return c.svg(fmt.Sprintf("Of a small training step's %.0f microseconds the operators take %.0f; a replay runs "+
		"them and nothing else", eager, replay)), nil
}

// microseconds returns the first two cells of a benchmark's row, which have the unit us.
func microseconds(cells []string) (ours, peer float64, err error) {
	if len(cells) < 2 {
		return 0, 0, errors.New("no such row")
	}
	if ours, err = strconv.ParseFloat(strings.TrimSuffix(cells[0], " us"), 64); err != nil {
		return 0, 0, err
	}
	peer, err = strconv.ParseFloat(strings.TrimSuffix(cells[1], " us"), 64)
	return ours, peer, err
}
