package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/torch"
)

// Worker is one goroutine of the soak, with the objects that it keeps between jobs.
type Worker struct {
	Rand *rand.Rand

	shared   *shared
	mlp, cnn *trainer
	views    []*torch.Tensor // kept until the end of the round
}

// shared is the state that all workers share.
type shared struct {
	data     string             // folder of the example's files
	exchange chan *torch.Tensor // tensors sent from one worker to another; the receiver closes them
	global   sync.Mutex         // locked by a job while it changes a process-wide setting
	work     []Job
	done     atomic.Int64     // number of finished jobs
	mu       sync.Mutex       // guards the fields below
	jobs     map[string]int64 // number of runs of each job
	failures []string         // the first few errors
	failed   int64            // number of failures
}

const failuresShown = 20

func newWorker(s *shared, seed uint64, id int) *Worker {
	w := &Worker{Rand: rand.New(rand.NewPCG(seed, uint64(id))), shared: s}
	w.mlp, w.cnn = newMLP(), newCNN()
	// A first step creates the gradients and the optimizers' state, so that the worker
	// holds the same bytes at the end of every round.
	w.mlp.step(8)
	w.cnn.step(8)
	return w
}

// close frees everything that the worker holds.
func (w *Worker) close() {
	w.endRound()
	w.mlp.close()
	w.cnn.close()
}

// endRound closes the views, which a worker keeps only until the end of a round.
func (w *Worker) endRound() {
	for _, v := range w.views {
		_ = v.Close()
	}
	w.views = nil
}

// round is one period of work. It ends when ctx is done, or after a number of jobs.
type round struct {
	ctx  context.Context
	jobs int // 0: no limit
	done *sync.WaitGroup
}

// loop runs jobs for each round that it receives, until rounds is closed.
func (w *Worker) loop(rounds <-chan round) {
	for r := range rounds {
		for i := 0; r.ctx.Err() == nil && (r.jobs == 0 || i < r.jobs); i++ {
			w.one()
		}
		w.endRound()
		r.done.Done()
	}
}

// one runs one random job.
func (w *Worker) one() {
	s := w.shared
	job := choose(s.work, w.Rand.IntN(totalWeight(s.work)))
	var err error
	if wrong := torch.Try(func() { err = job.Run(w) }); wrong != nil {
		err = wrong
	}
	s.done.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[job.Name]++
	if err == nil {
		return
	}
	s.failed++
	if len(s.failures) < failuresShown {
		s.failures = append(s.failures, fmt.Sprintf("%s: %v", job.Name, err))
	}
}

// drain closes the tensors that were sent to exchange but not received.
func (s *shared) drain() {
	for {
		select {
		case t := <-s.exchange:
			_ = t.Close()
		default:
			return
		}
	}
}
