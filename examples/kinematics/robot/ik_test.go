package robot_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/kinematics/robot"
	"github.com/gotorch/gotorch/examples/kinematics/robots"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Solutions marked as converged are within the limits and move the end to its target. One
// of the three robots has a rail and a joint without limits.
func TestConverged(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, at := range [][2]string{{"arm7", "tool"}, {"arm6", "tool"}, {"hand", "ring_middle"}} {
		c := serial(t, at[0], at[1])
		torch.Scope(func() {
			torch.ManualSeed(5)
			targets := c.ForwardKinematics(c.RandomPositions(20))
			config := robot.Defaults()
			s := robot.NewPseudoInverseIK(c, config)
			defer s.Close()
			sol := s.Solve(targets)
			defer sol.Clear()
			assert.Equal(t, torch.Shape{20, 10}, s.Err().Shape())
			assert.GreaterOrEqual(t, sol.ConvergedAny.Sum().ItemInt(), int64(15), "%v", at)
			found := sol.Solutions.Index(sol.Converged)
			low, high := c.Limits()
			assert.False(t, found.Lt(low).Any().ItemBool())
			assert.False(t, found.Gt(high).Any().ItemBool())
			want := targets.Unsqueeze(1).Expand(20, 10, 4, 4).Index(sol.Converged)
			off := c.ForwardKinematics(found).Sub(want).Abs()
			assert.LessOrEqual(t, off.Narrow(2, 0, 3).Max().Item(), config.RotTolerance)
			assert.LessOrEqual(t, off.Select(2, 3).Max().Item(), config.PosTolerance)

			first := c.ForwardKinematics(sol.First()).Sub(targets).Abs().Amax(torch.Dims{1, 2})
			assert.False(t, first.MaskedSelect(sol.ConvergedAny).GtScalar(config.RotTolerance).Any().ItemBool())
		})
		require.NoError(t, c.Close())
	}
}

// An arm that is clamped at each step stays within its limits, even without EnforceLimits.
func TestClampToLimits(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := serial(t, "arm7", "tool")
	defer c.Close()
	torch.Scope(func() {
		config := robot.Defaults()
		config.ClampToLimits, config.EnforceLimits = true, false
		s := robot.NewPseudoInverseIK(c, config)
		defer s.Close()
		sol := s.Solve(c.ForwardKinematics(c.RandomPositions(5)))
		defer sol.Clear()
		low, high := c.Limits()
		assert.False(t, sol.Solutions.Lt(low).Any().ItemBool())
		assert.False(t, sol.Solutions.Gt(high).Any().ItemBool())
	})
}

// The same seed gives the same starts. Each problem may have its own starts.
func TestStarts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := serial(t, "arm6", "tool")
	defer c.Close()
	torch.Scope(func() {
		targets := c.ForwardKinematics(c.RandomPositions(3))
		solve := func(config robot.Config) []float64 {
			s := robot.NewPseudoInverseIK(c, config)
			defer s.Close()
			sol := s.Solve(targets)
			defer sol.Clear()
			return sol.Solutions.Float64s()
		}
		config := robot.Defaults()
		config.Retries = 4
		torch.ManualSeed(7)
		want := solve(config)
		torch.ManualSeed(7)
		assert.Equal(t, want, solve(config))
		torch.ManualSeed(7)
		config.Initial = c.RandomPositions(4)
		assert.Equal(t, want, solve(config))
		config.Initial = config.Initial.Expand(3, 4, 6)
		assert.Equal(t, want, solve(config))

		s := robot.NewPseudoInverseIK(c, config)
		defer s.Close()
		require.NoError(t, config.Initial.Close()) // allowed, because the solver has a copy
		sol := s.Solve(targets)
		defer sol.Clear()
		assert.Equal(t, want, sol.Solutions.Float64s())
	})
}

// After a solve, only the solution and the solver's errors are live. After Clear nothing
// is.
func TestBytes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := serial(t, "arm7", "tool")
	defer c.Close()
	torch.Scope(func() {
		targets := c.ForwardKinematics(c.RandomPositions(9))
		config := robot.Defaults()
		config.LineSearch = robot.NewBacktrackingLineSearch()
		s := robot.NewPseudoInverseIK(c, config)
		defer s.Close()
		before := memory.Requested(torch.CPU)
		for range 5 {
			sol := s.Solve(targets)
			const n, m, joints, float, boolean = 9, 10, 7, 8, 1
			assert.EqualValues(t, n*m*(joints*float+2*float+float+3*boolean)+2*n*boolean,
				memory.Requested(torch.CPU)-before)
			sol.Clear()
			sol.Clear() // a second call does nothing
			s.Clear()
			assert.Equal(t, before, memory.Requested(torch.CPU))
		}
	})
}

// A panic in Observe leaks nothing.
func TestPanicLeaksNothing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := serial(t, "arm7", "tool")
	defer c.Close()
	torch.Scope(func() {
		config := robot.Defaults()
		config.Observe = func(iteration int, errPos, _ *torch.Tensor) {
			if iteration == 2 {
				errPos.MatMul(errPos.Narrow(0, 0, 1))
			}
		}
		s := robot.NewPseudoInverseIK(c, config)
		defer s.Close()
		targets := c.ForwardKinematics(c.RandomPositions(2))
		before := memory.Requested(torch.CPU)
		require.ErrorIs(t, torch.Try(func() { s.Solve(targets) }), torch.ErrShape)
		assert.Equal(t, before, memory.Requested(torch.CPU))
	})
}

func ExampleSerialChain() {
	description, err := robots.Load("arm6")
	if err != nil {
		panic(err)
	}
	torch.Scope(func() {
		chain, err := robot.NewSerialChain(description, "tool", "", torch.Float64, torch.CPU)
		if err != nil {
			panic(err)
		}
		defer chain.Close()
		th := torch.Zeros(torch.Shape{1, 6}, torch.Float64) // in these positions the arm is stretched out
		at := chain.ForwardKinematics(th).Select(0, 0).Select(1, 3).Contiguous().Float64s()
		fmt.Printf("%.3f %.3f %.3f\n", at[0], at[1], at[2])
	})
	// Output: 0.817 0.191 -0.005
}

func ExamplePseudoInverseIK() {
	description, err := robots.Load("arm7")
	if err != nil {
		panic(err)
	}
	torch.Scope(func() {
		torch.ManualSeed(0)
		chain, err := robot.NewSerialChain(description, "tool", "", torch.Float64, torch.CPU)
		if err != nil {
			panic(err)
		}
		defer chain.Close()
		targets := chain.ForwardKinematics(chain.RandomPositions(50))
		solver := robot.NewPseudoInverseIK(chain, robot.Defaults())
		defer solver.Close()
		solution := solver.Solve(targets)
		defer solution.Clear()
		fmt.Println(solution.ConvergedAny.Sum().ItemInt())
	})
	// Output: 50
}
