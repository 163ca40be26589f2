// Command reexec trains in a process whose memory grows, and restarts it before the system
// kills it. When the process has grown too much, it saves its state and executes the
// program again (exec). The process ID stays the same, but the leaked memory is gone. The
// program then continues with the next step.
//
//	go run ./reexec -dir runs/first
//	go run ./reexec -dir runs/often -grow 64                        # more often
//	go run ./reexec -dir runs/drawn -plot reexec/resident.png       # the picture in README.md
//
// reference.py is the same program in Python, with the same losses.
//
// Use this only for a leak in code that is not yours. docs/leaks.md is about leaks in your
// own code.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"syscall"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
)

// life describes one process of the training, from one exec to the next.
type life struct {
	PID        int
	From, To   int   // steps
	Start, End int64 // resident bytes of the process before its first step and after its last
}

// progress is the part of the saved state that is not the model or the optimizer.
type progress struct {
	Lives    []life
	Losses   []float64
	Resident []int64 // resident bytes after each step
}

// features is the leak: a cache of the model's features for each batch, which is never
// read. It grows by 4 MiB in each step.
var features []*torch.Tensor

func main() {
	dir := flag.String("dir", "", "folder for checkpoints; required")
	steps := flag.Int("steps", 60, "steps of the training")
	grow := flag.Int64("grow", 200, "MiB by which a process may grow; 0: no limit")
	plot := flag.String("plot", "", "draw the resident memory after each step into this PNG file")
	losses := flag.String("losses", "", "append seconds and losses of each step to this file")
	flag.Parse()
	if *dir == "" {
		fmt.Fprintln(os.Stderr, "usage: reexec -dir FOLDER [-steps N] [-grow MIB] [-plot FILE]")
		os.Exit(2)
	}
	p, err := train(*dir, *steps, *grow<<20, *losses)
	if err != nil {
		log.Fatal(err)
	}
	p.print()
	if *plot == "" {
		return
	}
	if err := p.draw(*plot); err != nil {
		log.Fatal(err)
	}
}

// train runs the training to its end, in as many processes as needed. It returns only in
// the last process.
func train(dir string, steps int, grow int64, losses string) (*progress, error) {
	numbers, err := twin.Append(losses)
	if err != nil {
		return nil, err
	}
	torch.ManualSeed(1)
	model := nn.NewSequential(nn.NewLinear(64, 1024), nn.NewReLU(), nn.NewDropout(0.5), nn.NewLinear(1024, 64))
	opt := optim.NewAdamW(model.Parameters())
	p := new(progress)
	state := checkpoint.State{"model": model, "optimizer": opt, "progress": p}

	m, err := checkpoint.Open(dir, checkpoint.Keep(2))
	if err != nil {
		return nil, errors.Join(err, numbers.Close())
	}
	at, err := m.Resume(state)
	now := life{PID: os.Getpid(), Start: memory.Process().Resident}
	switch {
	case errors.Is(err, fs.ErrNotExist): // the first process
	case err != nil:
		return nil, errors.Join(err, m.Close(), numbers.Close())
	default:
		now.From = at.Step
		fmt.Printf("process %d continues after step %d, with %s resident\n", now.PID, at.Step, size(now.Start))
	}
	for now.To = now.From; now.To < steps; {
		loss := step(model, opt)
		p.Losses = append(p.Losses, loss)
		numbers.Add(loss)
		now.To++
		now.End = memory.Process().Resident
		p.Resident = append(p.Resident, now.End)
		if grow > 0 && now.End-now.Start > grow && now.To < steps {
			fmt.Printf("process %d has %s resident after step %d and restarts\n", now.PID, size(now.End), now.To)
			p.Lives = append(p.Lives, now)
			if err := numbers.Close(); err != nil {
				return nil, errors.Join(err, m.Close())
			}
			return nil, restart(m, now.To, state)
		}
	}
	p.Lives = append(p.Lives, now)
	return p, errors.Join(m.Close(), numbers.Close())
}

// step runs one step of the training, and leaks.
func step(model *nn.Sequential, opt *optim.AdamW) (loss float64) {
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1024, 64})
		//torchvet:ignore growing this is the leak that the example is about
		features = append(features, torch.Disown(model.At(0).Forward(x).Detach()))
		l := F.MSELoss(model.Forward(x), x)
		opt.ZeroGrad()
		l.Backward()
		opt.Step()
		loss = l.Item()
	})
	return loss
}

// restart saves the state and executes the program again in this process. It returns only
// if that fails. The training then ends, but can be resumed.
func restart(m *checkpoint.Manager, step int, state checkpoint.State) error {
	if err := errors.Join(m.Save(context.Background(), step, state), m.Close()); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return fmt.Errorf("exec: %w", syscall.Exec(self, os.Args, os.Environ())) //nolint:gosec // itself
}

func (p *progress) print() {
	fmt.Println("process  steps     resident at its start  at its end")
	for _, l := range p.Lives {
		fmt.Printf("%7d  %3d to %-3d %20s %11s\n", l.PID, l.From, l.To, size(l.Start), size(l.End))
	}
	if n := len(p.Losses); n > 0 {
		fmt.Printf("loss: %.4f after the first step, %.4f after %d\n", p.Losses[0], p.Losses[n-1], n)
	}
}

func size(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
