package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/examples/kinematics/robot"
	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
)

// The sizes of the benchmark, which reference.py runs too. The benchmark times forward
// kinematics for benchPositions positions, and one solve for all targets from all starts.
// Both use float32, the default in Python.
const (
	benchPositions = 1000
	benchPlaces    = 200
	benchSolves    = 10
)

// bench prints the nanoseconds of one forward kinematics computation and of one solve, in
// a line that bench/cmd/bench reads.
func bench(c config, description *urdf.Robot, out io.Writer) error {
	chain, err := robot.NewSerialChain(description, c.end, "", torch.Float32, torch.CPU)
	if err != nil {
		return err
	}
	defer chain.Close()
	var iterations int
	torch.Scope(func() {
		th := chain.RandomPositions(benchPositions)
		targets := chain.ForwardKinematics(chain.RandomPositions(int64(c.problems)))
		solver := robot.NewPseudoInverseIK(chain, c.settings())
		defer solver.Close()
		place := timed(benchPlaces, func() {
			torch.NoGrad(func() { chain.ForwardKinematics(th) })
		})
		solve := timed(benchSolves, func() {
			solution := solver.Solve(targets)
			iterations = solution.Iterations
			solution.Clear()
		})
		fmt.Fprintf(out, "bench fk=%d ik=%d iterations=%d\n", place, solve, iterations)
	})
	return nil
}

// timed returns the mean duration of n calls of fn in nanoseconds. It first calls fn n/10
// times to warm up.
func timed(n int, fn func()) int64 {
	for range n / 10 {
		torch.Scope(fn)
	}
	start := time.Now()
	for range n {
		torch.Scope(fn)
	}
	return time.Since(start).Nanoseconds() / int64(n)
}

// errorsOfSolves solves c.solves times for new targets. For each solve, it writes the
// mean error of all attempts, in meters, to the file c.numbers.
func errorsOfSolves(c config, chain *robot.SerialChain) (err error) {
	log, err := twin.Create(c.numbers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for range c.solves {
		torch.Scope(func() {
			targets := chain.ForwardKinematics(chain.RandomPositions(int64(c.problems)))
			solver := robot.NewPseudoInverseIK(chain, c.settings())
			defer solver.Close()
			solution := solver.Solve(targets)
			defer solution.Clear()
			log.Add(solution.ErrPos.Mean().Item())
		})
	}
	return nil
}
