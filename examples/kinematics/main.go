// Command kinematics computes forward and inverse kinematics of robots: where an arm's
// tool is for given joint positions, and which joint positions move it to a target. It
// draws random targets, solves for all of them at once from many starts each, and prints
// how many were reached. reference.py is the same program with pytorch-kinematics. With
// the same seed both print the same numbers.
//
//	go run ./kinematics
//	go run ./kinematics -robot arm6 -problems 1000 -retries 20
//	go run ./kinematics -urdf my_robot.urdf -end gripper
//	go run ./kinematics -plot kinematics/arm.png  # the picture in README.md
//	go run ./kinematics -threads 1 -memory 1000   # what cleaning up saves and costs
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gotorch/gotorch/examples/internal/closed"
	"github.com/gotorch/gotorch/examples/kinematics/robot"
	"github.com/gotorch/gotorch/examples/kinematics/robots"
	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
)

type config struct {
	robot, urdf, end, plot    string
	numbers                   string
	problems, retries, memory int
	solves                    int
	seed                      uint64
	threads                   int
	bench                     bool
}

// defaults are the default values of the flags. Tests start from them too.
var defaults = config{robot: "arm7", end: "tool", problems: 100, retries: 10, threads: torch.NumThreads(), solves: 20}

func main() {
	c := defaults
	flag.StringVar(&c.robot, "robot", c.robot, "robot: "+strings.Join(robots.Names(), ", "))
	flag.StringVar(&c.urdf, "urdf", c.urdf, "file that describes a robot, instead of -robot")
	flag.StringVar(&c.end, "end", c.end, "link to move to the targets")
	flag.IntVar(&c.problems, "problems", c.problems, "targets")
	flag.IntVar(&c.retries, "retries", c.retries, "starts for each target")
	flag.StringVar(&c.plot, "plot", c.plot, "draw convergence and the arm into this PNG file")
	flag.IntVar(&c.memory, "memory", c.memory, "solve this many times, with and without cleaning up, and compare")
	flag.Uint64Var(&c.seed, "seed", c.seed, "seed of the random generator")
	flag.IntVar(&c.threads, "threads", c.threads, "threads for one operator")
	flag.StringVar(&c.numbers, "losses", c.numbers,
		"write seconds and errors of each solve to this file; -solves is their number")
	flag.IntVar(&c.solves, "solves", c.solves, "see -losses")
	flag.BoolVar(&c.bench, "bench", c.bench, "print only the times of forward and inverse kinematics")
	flag.Parse()
	if err := run(c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kinematics:", err)
		os.Exit(1)
	}
}

// run does what the flags request. At the end it checks that all native memory is free.
func run(c config, out io.Writer) error {
	return closed.After(func() error { return kinematics(c, out) })
}

func kinematics(c config, out io.Writer) error {
	if c.problems < 1 || c.retries < 1 {
		return errors.New("-problems and -retries must be at least 1")
	}
	torch.SetNumThreads(c.threads)
	torch.ManualSeed(c.seed)
	description, err := load(c)
	if err != nil {
		return err
	}
	chains := robot.NewCache(4)
	defer chains.ClearCache()
	chain, err := chains.SerialChain(description, c.end, "", torch.Float64, torch.CPU)
	if err != nil {
		return err
	}
	switch {
	case c.bench:
		return bench(c, description, out)
	case c.numbers != "":
		return errorsOfSolves(c, chain)
	case c.memory > 0:
		return memoryStudy(c, chain, out)
	}
	torch.Scope(func() { err = solve(c, description, chain, out) })
	return err
}

// solve draws random targets, solves for them, and reports the result.
func solve(c config, description *urdf.Robot, chain *robot.SerialChain, out io.Writer) error {
	fmt.Fprintf(out, "%s: %d links, %d joints to %s: %s\n", description.Name, len(description.Links),
		len(chain.JointNames()), c.end, strings.Join(chain.JointNames(), " "))

	// All targets can be reached, because they are poses of random positions within the
	// limits.
	goals := chain.RandomPositions(int64(c.problems))
	targets := chain.ForwardKinematics(goals)
	at := targets.Select(0, 0).Select(1, 3).Contiguous().Float64s()
	fmt.Fprintf(out, "the first target is at (%.4f, %.4f, %.4f) m\n", at[0], at[1], at[2])

	settings := c.settings()
	errs := &recorder{problems: int64(c.problems)}
	settings.Observe = errs.observe
	solver := robot.NewPseudoInverseIK(chain, settings)
	defer solver.Close()
	solution := solver.Solve(targets)
	defer solution.Clear()
	report(out, solution)
	if c.plot == "" {
		return nil
	}
	return picture(c.plot, chain, targets, solution, errs)
}

// settings returns the solver's settings. They are the defaults in Python, except that
// the solver stops working on a target when one attempt has reached it.
func (c config) settings() robot.Config {
	s := robot.Defaults()
	s.Retries, s.StopConverged = c.retries, true
	return s
}

// load reads the robot that the flags select.
func load(c config) (*urdf.Robot, error) {
	if c.urdf == "" {
		return robots.Load(c.robot)
	}
	f, err := os.Open(c.urdf)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	description, err := urdf.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.urdf, err)
	}
	return description, nil
}

// report prints how many targets were reached and how large the errors are.
func report(out io.Writer, s *robot.Solution) {
	reached := s.ConvergedAny.Sum().ItemInt()
	attempts := s.Converged.Sum().ItemInt()
	fmt.Fprintf(out, "%d iterations: %d of %d targets reached, by %d of %d attempts\n",
		s.Iterations, reached, s.ConvergedAny.Numel(), attempts, s.Converged.Numel())
	if attempts > 0 {
		pos, rot := s.ErrPos.MaskedSelect(s.Converged), s.ErrRot.MaskedSelect(s.Converged)
		fmt.Fprintf(out, "those that reached it are off by %.4f mm and %.4f mrad on average\n", 1e3*pos.Mean().Item(),
			1e3*rot.Mean().Item())
	}
	fmt.Fprintf(out, "positions for the first target:")
	for _, v := range s.First().Select(0, 0).Contiguous().Float64s() {
		fmt.Fprintf(out, " %.4f", v)
	}
	fmt.Fprintln(out)
}
