package robot

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// joints contains the movable joints of a chain: their names, their limits, and the
// constants that convert positions to matrices. Chain and SerialChain embed this struct.
type joints struct {
	names     []string
	low, high *torch.Tensor // (J), the limits; infinite for joints without limits
	dtype     torch.DType
	dev       torch.Device

	// These tensors compute the matrices of F frames. The shape of motion is (F, 12, 4).
	// Its four columns contain the first three rows of the matrices that are multiplied by
	// 1, q, cos(q) and sin(q). For each frame, source is the joint that moves it. The
	// frame's position q is the joint's position times factor, plus shift.
	motion, source, factor, shift *torch.Tensor
	frames                        int64
	ones                          *torch.Tensor // (1, 1)
	last                          *torch.Tensor // (4, 1), the last row of a homogeneous matrix
}

// follower describes how to compute a frame's position from the position of a joint.
type follower struct {
	joint         int64
	factor, shift float64
}

func newJoints(names []string, limits [][2]float64, motions []motion, followers []follower, dtype torch.DType,
	dev torch.Device,
) joints {
	if dtype != torch.Float32 && dtype != torch.Float64 {
		panic(&torch.Error{
			Op: "robot.NewChain", Kind: torch.ErrDType,
			Message: fmt.Sprintf("dtype must be float32 or float64, got %v", dtype),
		})
	}
	m := joints{names: names, dtype: dtype, dev: dev, frames: int64(len(motions))}
	var low, high, flat, factor, shift []float64
	var source []int64
	mimics := false
	for _, l := range limits {
		low, high = append(low, l[0]), append(high, l[1])
	}
	for i, m := range motions {
		for row := range 3 {
			for col := range 4 {
				for part := range m {
					flat = append(flat, m[part][row][col])
				}
			}
		}
		f := followers[i]
		source, factor, shift = append(source, f.joint), append(factor, f.factor), append(shift, f.shift)
		mimics = mimics || f.factor != 1 || f.shift != 0
	}
	m.low, m.high = m.tensor(low), m.tensor(high)
	m.motion = m.tensor(flat, m.frames, 12, 4)
	m.ones, m.last = m.tensor([]float64{1}, 1, 1), m.tensor([]float64{0, 0, 0, 1}, 4, 1)
	m.source = torch.Disown(torch.FromSliceWith(source, torch.Shape{m.frames}, dev))
	if mimics {
		m.factor, m.shift = m.tensor(factor, m.frames, 1), m.tensor(shift, m.frames, 1)
	}
	return m
}

// tensor creates a constant of the chain, which no scope frees.
func (m *joints) tensor(values []float64, shape ...int64) *torch.Tensor {
	if shape == nil {
		shape = []int64{int64(len(values))}
	}
	return torch.Disown(torch.FromSliceWith(values, shape, m.dtype, m.dev))
}

// Close frees the chain's constants.
func (m *joints) Close() error {
	for _, t := range []*torch.Tensor{m.low, m.high, m.motion, m.source, m.factor, m.shift, m.ones, m.last} {
		_ = t.Close()
	}
	return nil
}

// JointNames returns the names of the joints that have their own position. The columns of
// every tensor of joint positions are in this order: depth first, as in Python.
func (m *joints) JointNames() []string { return m.names }

// Limits returns the lowest and highest position of each joint, (J). They are infinite
// for joints without limits. The tensors belong to the chain.
func (m *joints) Limits() (low, high *torch.Tensor) { return m.low, m.high }

// DType returns the dtype of positions and matrices.
func (m *joints) DType() torch.DType { return m.dtype }

// check panics if th is not a tensor of positions of these joints.
func (m *joints) check(op string, th *torch.Tensor) {
	if shape := th.Shape(); len(shape) != 2 || shape[1] != int64(len(m.names)) {
		panic(&torch.Error{Op: op, Kind: torch.ErrShape, Message: fmt.Sprintf(
			"th must be of shape (B, %d), a position for each joint, got %v", len(m.names), shape)})
	}
	if th.DType() != m.dtype {
		panic(&torch.Error{Op: op, Kind: torch.ErrDType, Message: fmt.Sprintf(
			"th must be of the chain's dtype %v, got %v", m.dtype, th.DType())})
	}
}

// locals returns the matrices of all frames relative to their parents, (F, 3, 4, B). The
// positions have the batch last, (J, B). This lets operators work on long rows of
// numbers, not on four numbers at a time.
func (m *joints) locals(q *torch.Tensor) *torch.Tensor {
	if len(m.names) == 0 {
		q = m.ones.Expand(m.frames, q.Size(1)) // if all joints are fixed
	} else {
		q = q.IndexSelect(0, m.source)
	}
	if m.factor != nil {
		q = m.shift.Addcmul(q, m.factor)
	}
	terms := torch.Stack([]*torch.Tensor{m.ones.ExpandAs(q), q, q.Cos(), q.Sin()}, 1)
	return m.motion.MatMul(terms).View(m.frames, 3, 4, -1)
}

// compose returns the products of affine matrices, (..., 3, 4, B) each.
func compose(a, b *torch.Tensor) *torch.Tensor {
	col, row := a.Split(1, -2), b.Split(1, -3)
	c := col[0].Mul(row[0]).Addcmul_(col[1], row[1]).Addcmul_(col[2], row[2])
	c.Narrow(-2, 3, 1).Add_(col[3])
	return c
}

// homogeneous converts matrices (..., 3, 4, B) to homogeneous matrices (..., B, 4, 4).
func (m *joints) homogeneous(a *torch.Tensor) *torch.Tensor {
	n := a.Dim()
	shape := a.Shape()
	shape[n-3] = 1
	order := make([]int64, 0, n)
	for i := range n - 3 {
		order = append(order, i)
	}
	order = append(order, n-1, n-3, n-2)
	return torch.Cat([]*torch.Tensor{a, m.last.Expand(shape...)}, torch.Dim(n-3)).Permute(order...).Contiguous()
}

// unlimited is the range of a joint without limits.
var unlimited = [2]float64{math.Inf(-1), math.Inf(1)}
