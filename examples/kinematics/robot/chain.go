// Package robot computes kinematics. Forward kinematics: where a robot's links are for
// given joint positions. The Jacobian: how fast a link moves when joints move. Inverse
// kinematics: which joint positions move a link to a target. All functions work on
// batches. The names are as in pytorch-kinematics.
package robot

import (
	"fmt"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
)

// Chain is a tree of links. Several goroutines may use it.
type Chain struct {
	joints
	links  []string // by level
	levels []level  // without the root
}

// level contains the n links at the same distance from the root.
type level struct {
	n int64
	// Parents, of shape (n), contains the index of each link's parent in the level above.
	// It is nil if the indices are 0, 1, 2, ...
	parents *torch.Tensor
}

// NewChain returns a chain of all links of a robot. Close frees its constants. NewChain
// panics with ErrDType unless dtype is Float32 or Float64. Follows build_chain_from_urdf.
func NewChain(r *urdf.Robot, dtype torch.DType, dev torch.Device) *Chain {
	t := newTree(r)
	var names []string
	var limits [][2]float64
	place := map[string]int64{}
	for _, j := range t.moving {
		place[j.Name] = int64(len(names))
		names, limits = append(names, j.Name), append(limits, limitsOf(j))
	}
	motions, followers := []motion{{identity}}, []follower{{factor: 1}}
	c := &Chain{links: []string{r.Root}}
	for above := c.links; ; {
		var below []string
		var parents []int64
		for p, link := range above {
			for _, j := range t.below[link] {
				below, parents = append(below, j.Child), append(parents, int64(p))
				motions = append(motions, motionOf(j).between(pose(j.Origin), identity))
				followers = append(followers, follow(j, place))
			}
		}
		if len(below) == 0 {
			break
		}
		c.links = append(c.links, below...)
		c.levels = append(c.levels, level{int64(len(below)), nil})
		if !isRange(parents, len(above)) {
			c.levels[len(c.levels)-1].parents = torch.Disown(torch.FromSliceWith(parents,
				torch.Shape{int64(len(parents))}, dev))
		}
		above = below
	}
	c.joints = newJoints(names, limits, motions, followers, dtype, dev)
	return c
}

// Close frees the chain's constants.
func (c *Chain) Close() error {
	for _, l := range c.levels {
		_ = l.parents.Close()
	}
	return c.joints.Close()
}

// LinkNames returns the names of all links. The links closest to the root come first.
func (c *Chain) LinkNames() []string { return c.links }

// ForwardKinematics returns the pose of each link for joint positions th of shape (B, J).
// A pose is a homogeneous matrix, (B, 4, 4), which transforms points from the link to the
// root. The poses are slices of one tensor, owned by the innermost scope or else by the
// collector. Gradients flow to th. ForwardKinematics panics with ErrShape or ErrDType if
// th does not match the chain. Follows Chain.forward_kinematics.
func (c *Chain) ForwardKinematics(th *torch.Tensor) map[string]*torch.Tensor {
	c.check("robot.Chain.ForwardKinematics", th)
	frames := torch.TidyAll(func() []*torch.Tensor {
		local := c.locals(th.T())
		above := local.Narrow(0, 0, 1)
		done, all := int64(1), []*torch.Tensor{above}
		for _, l := range c.levels {
			if l.parents != nil {
				above = above.IndexSelect(0, l.parents)
			}
			above = compose(above, local.Narrow(0, done, l.n))
			done += l.n
			all = append(all, above)
		}
		return c.homogeneous(torch.Cat(all)).Unbind()
	})
	places := make(map[string]*torch.Tensor, len(frames))
	for i, f := range frames {
		places[c.links[i]] = f
	}
	return places
}

func isRange(values []int64, n int) bool {
	for i, v := range values {
		if int64(i) != v {
			return false
		}
	}
	return len(values) == n
}

// tree finds the joints below and above each link of a robot.
type tree struct {
	below  map[string][]*urdf.Joint // joints by the name of their parent link
	above  map[string]*urdf.Joint   // joint by the name of its child link
	moving []*urdf.Joint            // joints with a position of their own, depth first
}

func newTree(r *urdf.Robot) *tree {
	t := &tree{below: map[string][]*urdf.Joint{}, above: map[string]*urdf.Joint{}}
	for i := range r.Joints {
		j := &r.Joints[i]
		t.below[j.Parent] = append(t.below[j.Parent], j)
		t.above[j.Child] = j
	}
	for links := []string{r.Root}; len(links) > 0; {
		link := links[len(links)-1]
		links = links[:len(links)-1]
		if j := t.above[link]; j != nil && j.Moves() {
			t.moving = append(t.moving, j)
		}
		for i := len(t.below[link]) - 1; i >= 0; i-- {
			links = append(links, t.below[link][i].Child)
		}
	}
	return t
}

// follow returns how the position of j is computed: from which joint's position, and with
// which factor and offset. The result is meaningless for a fixed joint.
func follow(j *urdf.Joint, place map[string]int64) follower {
	if j.Mimic != nil {
		return follower{place[j.Mimic.Joint], j.Mimic.Multiplier, j.Mimic.Offset}
	}
	return follower{place[j.Name], 1, 0}
}

func limitsOf(j *urdf.Joint) [2]float64 {
	if j.Limit == nil {
		return unlimited
	}
	return [2]float64{j.Limit.Lower, j.Limit.Upper}
}

// linkError returns an error about a link that does not exist or cannot be part of a chain.
func linkError(format string, args ...any) error {
	return fmt.Errorf("robot: "+format, args...)
}
