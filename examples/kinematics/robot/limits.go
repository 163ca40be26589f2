package robot

import (
	"math"

	"github.com/gotorch/gotorch/torch"
)

func (p *search) clamp() { p.q.Copy_(p.q.ClampTensor(p.low, p.high)) }

// enforceLimits moves the solutions into the limits. It shifts joints by whole turns if
// that is enough, clamps the other joints, and takes more steps within the limits. Then
// it checks again which attempts have converged.
func (p *search) enforceLimits() {
	p.config.Scope(func() {
		p.q.Copy_(p.wrap(p.sol.Solutions))
		p.clamp()
	})
	for range p.config.LimitRefinements {
		p.config.Scope(func() {
			end, jacobian := p.chain.velocities(p.q)
			p.q.Add_(p.step(jacobian, p.delta(end)), torch.Alpha(p.config.LR))
			p.clamp()
		})
	}
	for _, t := range []*torch.Tensor{p.sol.Converged, p.sol.ConvergedPos, p.sol.ConvergedRot, p.sol.ConvergedAny} {
		t.Zero_()
	}
	p.config.Scope(func() {
		end, _ := p.chain.velocities(p.q)
		p.sol.update(p.q, p.delta(end), false)
	})
}

// wrap moves each turning joint by whole turns, to the position closest to the middle of
// its limits. Sliding joints and joints without limits do not change.
func (p *search) wrap(q *torch.Tensor) *torch.Tensor {
	middle := p.low.Add(p.high).DivScalar(2)
	turns := middle.Sub(q).DivScalar_(2 * math.Pi).Round_()
	turning := torch.FromSliceWith(p.chain.turning, torch.Shape{int64(len(p.chain.turning)), 1}, p.chain.dev)
	turns.MaskedFill_(turning.LogicalAnd(middle.IsFinite()).LogicalNot(), 0)
	return q.Add(turns, torch.Alpha(2*math.Pi))
}

// BacktrackingLineSearch shortens steps that do not move the end closer to its target.
type BacktrackingLineSearch struct {
	MaxLR              float64 // the first factor that is tried
	DecreaseFactor     float64 // by which the factor is multiplied after each try
	MaxIterations      int     // maximum number of tries
	SufficientDecrease float64 // minimum decrease of the error
}

// NewBacktrackingLineSearch returns a line search with the defaults in Python.
func NewBacktrackingLineSearch() *BacktrackingLineSearch {
	return &BacktrackingLineSearch{MaxLR: 1, DecreaseFactor: 0.5, MaxIterations: 5, SufficientDecrease: 0.01}
}

// search returns for each attempt the factor by which to multiply the step dq, (B).
func (l *BacktrackingLineSearch) search(p *search, dq, dx *torch.Tensor) *torch.Tensor {
	err := dx.Norm(torch.Dim(0))
	lr := torch.FullLike(err, l.MaxLR)
	// Attempts of problems that have stopped do not prolong the search.
	waiting := p.sol.Remaining.RepeatInterleave(p.retries)
	for range l.MaxIterations {
		if !waiting.Any().ItemBool() {
			break
		}
		p.config.Scope(func() {
			end, _, _ := p.chain.walk(p.q.Add(lr.Mul(dq)))
			worse := err.Sub(p.delta(end).Norm(torch.Dim(0))).GtScalar(l.SufficientDecrease).LogicalNot()
			lr.Copy_(torch.Where(worse, lr.MulScalar(l.DecreaseFactor), lr))
			waiting.LogicalAnd_(worse)
		})
	}
	return lr
}
