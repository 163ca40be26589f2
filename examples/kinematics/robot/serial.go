package robot

import (
	"math"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
)

// SerialChain is the path from one link of a robot to another, such as an arm from its base
// to its tool. Several goroutines may use it.
//
// The transform of a fixed joint is merged into the matrix of the next joint. Frames are
// turned so that each joint moves along or about its own z axis. So a frame's third and
// fourth column are the joint's axis and position, which is all that the Jacobian needs.
type SerialChain struct {
	joints
	end     string
	slides  *torch.Tensor // (1, J, 1) bools: whether a joint is prismatic; nil if none is
	turning []bool        // whether each joint turns
	// (3, 4, 1): the pose of the end relative to the last joint; nil for the identity.
	tool     *torch.Tensor
	infinite bool // no joint has limits
}

// NewSerialChain returns the chain from link root to link end. If root is "", the chain
// starts at the robot's root. dtype is as for [NewChain]. NewSerialChain returns an error
// if a link is missing, if end is not below root, if a joint mimics another, or if no
// joint moves. Follows build_serial_chain_from_urdf.
func NewSerialChain(r *urdf.Robot, end, root string, dtype torch.DType, dev torch.Device) (*SerialChain, error) {
	path, err := way(r, end, root)
	if err != nil {
		return nil, err
	}
	c := &SerialChain{end: end, infinite: true}
	var names []string
	var limits [][2]float64
	var motions []motion
	var followers []follower
	var sliding []bool
	before, prismatic := identity, false
	for _, j := range path {
		before = before.mul(pose(j.Origin))
		switch {
		case j.Type == urdf.Fixed:
			continue
		case j.Mimic != nil:
			return nil, linkError("joint %q follows joint %q, which no serial chain does", j.Name, j.Mimic.Joint)
		}
		turned := upright(j.Axis)
		motions = append(motions, motionOf(j).between(before, turned))
		before = turned.transposed()
		followers = append(followers, follower{int64(len(names)), 1, 0})
		names, limits = append(names, j.Name), append(limits, limitsOf(j))
		sliding = append(sliding, j.Type == urdf.Prismatic)
		c.turning = append(c.turning, j.Type != urdf.Prismatic)
		prismatic = prismatic || j.Type == urdf.Prismatic
		c.infinite = c.infinite && j.Limit == nil
	}
	if len(names) == 0 {
		return nil, linkError("no joint moves on the way to link %q", end)
	}
	c.joints = newJoints(names, limits, motions, followers, dtype, dev)
	if before != identity {
		var flat []float64
		for _, row := range before[:3] {
			flat = append(flat, row[:]...)
		}
		c.tool = c.tensor(flat, 3, 4, 1)
	}
	if prismatic {
		c.slides = torch.Disown(torch.FromSliceWith(sliding, torch.Shape{1, int64(len(sliding)), 1}, dev))
	}
	return c, nil
}

// way returns the joints from root down to end.
func way(r *urdf.Robot, end, root string) ([]*urdf.Joint, error) {
	known := map[string]bool{}
	for _, l := range r.Links {
		known[l.Name] = true
	}
	if root == "" {
		root = r.Root
	}
	for _, name := range []string{root, end} {
		if !known[name] {
			return nil, linkError("there is no link %q", name)
		}
	}
	t := newTree(r)
	var path []*urdf.Joint
	for link := end; link != root; {
		j := t.above[link]
		if j == nil {
			return nil, linkError("link %q is not a descendant of link %q", end, root)
		}
		path = append(path, j)
		link = j.Parent
	}
	for i, k := 0, len(path)-1; i < k; i, k = i+1, k-1 {
		path[i], path[k] = path[k], path[i]
	}
	return path, nil
}

// Close frees the chain's constants.
func (c *SerialChain) Close() error {
	_ = c.slides.Close()
	_ = c.tool.Close()
	return c.joints.Close()
}

// End returns the name of the last link.
func (c *SerialChain) End() string { return c.end }

// ForwardKinematics returns the pose of the end for joint positions th of shape (B, J). A
// pose is a homogeneous matrix, (B, 4, 4), which transforms points from the end to the
// chain's root. The result is a new tensor, owned by the innermost scope or else by the
// collector. Gradients flow to th. ForwardKinematics panics with ErrShape or ErrDType if
// th does not match the chain. Follows SerialChain.forward_kinematics.
func (c *SerialChain) ForwardKinematics(th *torch.Tensor) *torch.Tensor {
	c.check("robot.SerialChain.ForwardKinematics", th)
	return torch.Tidy(func() *torch.Tensor {
		end, _, _ := c.walk(th.T())
		return c.homogeneous(end)
	})
}

// Jacobian returns how fast the end moves when each joint moves, for positions th of shape
// (B, J). The result has shape (B, 6, J) and is in the frame of the chain's root. Rows 0 to
// 2 are the velocity of the end's origin, and rows 3 to 5 are the angular velocity of the
// end. See ForwardKinematics for ownership and panics. Follows SerialChain.jacobian.
func (c *SerialChain) Jacobian(th *torch.Tensor) *torch.Tensor {
	c.check("robot.SerialChain.Jacobian", th)
	return torch.Tidy(func() *torch.Tensor {
		_, jacobian := c.velocities(th.T())
		return jacobian.Permute(2, 0, 1).Contiguous()
	})
}

// Places returns the position in space of each joint and, last, of the end: (J+1, B, 3).
// Use it to draw the arm. See ForwardKinematics for ownership and panics.
func (c *SerialChain) Places(th *torch.Tensor) *torch.Tensor {
	c.check("robot.SerialChain.Places", th)
	return torch.Tidy(func() *torch.Tensor {
		end, _, at := c.walk(th.T())
		at = append(at, end.Narrow(1, 3, 1))
		return torch.Cat(at, 1).Permute(1, 2, 0).Contiguous()
	})
}

// RandomPositions returns n random positions, (n, J), uniform within the chain's limits.
// For joints without limits the range is one turn. RandomPositions draws float32 numbers
// even if the chain is float64, as pytorch-kinematics does. The result is a new tensor,
// owned by the innermost scope or else by the collector.
func (c *SerialChain) RandomPositions(n int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		ends := []torch.NaNToNumOption{torch.PosInf(math.Pi), torch.NegInf(-math.Pi)}
		low, high := c.low.NaNToNum(ends...), c.high.NaNToNum(ends...)
		u := torch.Rand(torch.Shape{n, int64(len(c.names))}, torch.Float32, c.dev)
		return u.Mul(high.Sub(low)).Add(low)
	})
}

// walk returns the matrix of the end, (3, 4, B), and the axis and position of each joint,
// (3, 1, B). Its argument has the batch last, (J, B).
func (c *SerialChain) walk(q *torch.Tensor) (end *torch.Tensor, axes, places []*torch.Tensor) {
	for i, local := range c.locals(q).Unbind() {
		if i == 0 {
			end = local
		} else {
			end = compose(end, local)
		}
		axes, places = append(axes, end.Narrow(1, 2, 1)), append(places, end.Narrow(1, 3, 1))
	}
	if c.tool != nil {
		end = compose(end, c.tool)
	}
	return end, axes, places
}

// velocities returns the end's matrix, (3, 4, B), and the Jacobian with the batch last, (6,
// J, B).
func (c *SerialChain) velocities(q *torch.Tensor) (end, jacobian *torch.Tensor) {
	end, axes, places := c.walk(q)
	axis := torch.Cat(axes, 1)
	arm := end.Narrow(1, 3, 1).Sub(torch.Cat(places, 1))
	linear, angular := axis.Cross(arm, torch.Dim(0)), axis
	if c.slides != nil {
		linear, angular = torch.Where(c.slides, axis, linear), axis.MaskedFill(c.slides, 0)
	}
	return end, torch.Cat([]*torch.Tensor{linear, angular})
}
