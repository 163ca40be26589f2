// Command defer_in_loop processes a queue of jobs and normalizes their matrices.
//
// Leaky: consume defers Close inside its endless loop. Deferred calls run only when the
// function returns, at the end of the queue. Until then the list of deferred calls refers
// to the open tensors of all previous jobs: two matrices per job.
package main

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/linalg"
)

type job struct {
	id   int
	rows int64
	data []float32
}

type result struct {
	id        int
	condition float64
}

// consume normalizes each job's matrix and reports the condition number of its Gram matrix.
func consume(jobs <-chan job, results chan<- result) {
	for j := range jobs {
		x := torch.FromSlice(j.data, j.rows, int64(len(j.data))/j.rows)
		defer x.Close() // want leak
		centered := torch.Tidy(func() *torch.Tensor {
			c := x.Sub(x.Mean(torch.Dim(0), torch.KeepDim(true)))
			return c.Div(c.Std(torch.Dim(0), torch.KeepDim(true)).AddScalar(1e-6))
		})
		defer centered.Close()
		torch.Scope(func() {
			gram := centered.T().MatMul(centered).Add(torch.Eye(centered.Size(1)))
			values, _ := linalg.Eigh(gram)
			results <- result{j.id, values.Max().Item() / values.Min().Item()}
		})
	}
}

func produce(n int, jobs chan<- job) {
	defer close(jobs)
	for id := range n {
		rows := int64(16 + id%4)
		data := make([]float32, rows*8)
		for i := range data {
			data[i] = float32((i*7919+id*104729)%1000) / 1000
		}
		jobs <- job{id, rows, data}
	}
}

func main() {
	jobs, results := make(chan job, 4), make(chan result, 4)
	go produce(300, jobs)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() { consume(jobs, results) })
	}
	go func() { workers.Wait(); close(results) }()
	worst := result{}
	for r := range results {
		if r.condition > worst.condition {
			worst = r
		}
	}
	fmt.Printf("worst job %d: condition number %.1f\n", worst.id, worst.condition)
}
