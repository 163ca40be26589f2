package robot

import (
	"github.com/gotorch/gotorch/torch"
)

// Solution is the result of a solve for N problems with M attempts each. Its tensors belong
// to no scope. Clear frees them; if you do not call it, the garbage collector does.
type Solution struct {
	Iterations int
	// (N, M, J). Where Converged is false, these are the last positions that were tried.
	Solutions *torch.Tensor

	ErrPos, ErrRot             *torch.Tensor // (N, M), in meters and radians
	ConvergedPos, ConvergedRot *torch.Tensor // (N, M) bools
	Converged                  *torch.Tensor // (N, M): whether both ConvergedPos and ConvergedRot are true
	ConvergedAny               *torch.Tensor // (N)
	Remaining                  *torch.Tensor // (N): whether the problem has not stopped early

	posTolerance, rotTolerance float64
	retries                    int64
}

// newSolution returns a solution whose tensors have the attempts in the last dimension.
// finish gives them their final shapes.
func newSolution(joints, n int64, s *PseudoInverseIK) *Solution {
	b, like := n*s.retries, s.chain.ones
	floats := func(shape ...int64) *torch.Tensor { return torch.Disown(like.NewZeros(shape)) }
	bools := func(n int64) *torch.Tensor { return torch.Disown(like.NewZeros(torch.Shape{n}, torch.Bool)) }
	sol := &Solution{
		Solutions: floats(joints, b), ErrPos: floats(b), ErrRot: floats(b),
		ConvergedPos: bools(b), ConvergedRot: bools(b), Converged: bools(b),
		ConvergedAny: bools(n), Remaining: bools(n),
		posTolerance: s.config.PosTolerance, rotTolerance: s.config.RotTolerance, retries: s.retries,
	}
	sol.Remaining.Fill_(true)
	return sol
}

// update stores the attempts' positions and errors. With stopConverged it skips attempts
// that have converged, because later steps may make them worse.
func (s *Solution) update(q, dx *torch.Tensor, stopConverged bool) {
	errPos, errRot := dx.Narrow(0, 0, 3).Norm(torch.Dim(0)), dx.Narrow(0, 3, 3).Norm(torch.Dim(0))
	pos, rot := errPos.LtScalar(s.posTolerance), errRot.LtScalar(s.rotTolerance)
	converged := pos.LogicalAnd(rot)
	some := converged.View(-1, s.retries).Any(torch.Dim(1))
	if stopConverged {
		s.Remaining.LogicalAnd_(some.LogicalNot())
	}
	s.Solutions.Copy_(torch.Where(s.Converged, s.Solutions, q))
	s.ErrPos.Copy_(torch.Where(s.Converged, s.ErrPos, errPos))
	s.ErrRot.Copy_(torch.Where(s.Converged, s.ErrRot, errRot))
	s.ConvergedPos.LogicalOr_(pos)
	s.ConvergedRot.LogicalOr_(rot)
	s.Converged.LogicalOr_(converged)
	s.ConvergedAny.LogicalOr_(some)
}

// finish gives the tensors their final shapes.
func (s *Solution) finish() {
	joints := s.Solutions.Size(0)
	found := s.Solutions
	s.Solutions = torch.Disown(found.T().Contiguous().View(-1, s.retries, joints))
	_ = found.Close()
	for _, t := range []*torch.Tensor{s.ErrPos, s.ErrRot, s.ConvergedPos, s.ConvergedRot, s.Converged} {
		t.Resize_(s.ConvergedAny.Size(0), s.retries)
	}
}

// First returns joint positions for each problem, (N, J). They are from the first attempt
// that converged, or from attempt 0 if none did. The result is a new tensor, owned by the
// innermost scope or else by the collector.
func (s *Solution) First() *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		first := s.Converged.To(torch.Int64).ArgMax(torch.Dim(1))
		return s.Solutions.Gather(1, first.View(-1, 1, 1).Expand(-1, 1, s.Solutions.Size(2))).Squeeze(1)
	})
}

// Clear frees the solution's tensors.
func (s *Solution) Clear() {
	for _, t := range []*torch.Tensor{
		s.Solutions, s.ErrPos, s.ErrRot, s.ConvergedPos, s.ConvergedRot, s.Converged, s.ConvergedAny, s.Remaining,
	} {
		_ = t.Close()
	}
}
