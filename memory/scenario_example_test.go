package memory_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// This program processes an input that is larger than the available memory in chunks. All
// chunks use one output buffer, through an operator that writes to an existing tensor.
func Example_chunks() {
	const total, chunk = 4 << 20, 64 << 10
	input := make([]float32, total) // 16 MiB of Go's memory; it could also be a mapped file
	for i := range input {
		input[i] = float32(i%8) / 8
	}
	memory.Collect()
	memory.EmptyCache(torch.CPU)
	if err := memory.SetLimit(torch.CPU, memory.Reserved(torch.CPU)+4<<20); err != nil {
		fmt.Println(err)
	}
	defer func() { _ = memory.SetLimit(torch.CPU, 0) }()

	x := torch.FromSliceShared(input) // copies nothing
	defer x.Close()
	err := torch.Try(func() { torch.Scope(func() { x.Square() }) })
	fmt.Println("at once: out of memory", errors.Is(err, torch.ErrOutOfMemory))

	out := torch.Empty(torch.Shape{chunk})
	defer out.Close()
	sum := 0.0
	usage := memory.Track("chunks", func() {
		for at := int64(0); at < total; at += chunk {
			torch.Scope(func() {
				aten.SquareOut(out, x.Narrow(0, at, chunk))
				sum += out.Sum().Item()
			})
		}
	})
	fmt.Println("in chunks:", sum, "and less than a chunk more than before:", usage.Peak-usage.Start < 4*chunk)
	// Output:
	// at once: out of memory true
	// in chunks: 1.14688e+06 and less than a chunk more than before: true
}

// Stored losses keep their graphs alive. A leak check names the line that stores them.
// Store only the number, loss.Item().
func Example_lossesKept() {
	w := torch.Ones(torch.Shape{64, 64}, torch.RequiresGrad(true))
	defer w.Close()
	var losses []*torch.Tensor
	var found report
	memory.AssertNoGrowth(&found, 20, func(int) {
		torch.Scope(func() {
			loss := w.Mul(w).Sum()
			losses = append(losses, torch.Keep(loss))
		})
	})
	fmt.Println(strings.Contains(string(found), "20 more tensors are open"),
		strings.Contains(string(found), "scenario_example_test.go"))
	for _, l := range losses {
		_ = l.Close()
	}

	total := 0.0
	fmt.Println(memory.AssertNoGrowth(&found, 20, func(int) {
		torch.Scope(func() { total += w.Mul(w).Sum().Item() })
	}))
	// Output:
	// true true
	// true
}

// report is a TestingT that collects the messages.
type report string

func (*report) Helper() {}

func (r *report) Errorf(format string, args ...any) { *r += report(fmt.Sprintf(format, args...)) }
