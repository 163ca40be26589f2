// Package urdf reads descriptions of robots in the Unified Robot Description Format: links,
// and joints between them that form a tree. Shapes, masses and what simulators add are
// skipped. No input makes it panic or take memory beyond its bounds.
package urdf

// Robot is a tree of links. Links and joints are in the order of the file.
type Robot struct {
	Name   string
	Root   string // the link that is no joint's child
	Links  []Link
	Joints []Joint
}

// Link is a rigid body.
type Link struct {
	Name string
	Line int // in the file
}

// Joint holds a child link to its parent.
type Joint struct {
	Name          string
	Type          Type
	Parent, Child string     // names of links
	Origin        Pose       // of the joint in the parent link
	Axis          [3]float64 // of length 1, in the joint; x if the file names none
	Limit         *Limit     // nil if there is none, and for continuous and fixed joints
	Mimic         *Mimic     // nil if the joint moves by itself
	Line          int        // in the file
}

// Moves reports whether a joint has a position of its own: it is not fixed, and follows no
// other.
func (j *Joint) Moves() bool { return j.Type != Fixed && j.Mimic == nil }

// Type is how a joint moves.
type Type string

// What a joint can be. The format's floating and planar joints are refused.
const (
	Revolute   Type = "revolute"   // turns about its axis, within limits
	Continuous Type = "continuous" // turns about its axis
	Prismatic  Type = "prismatic"  // slides along its axis, within limits
	Fixed      Type = "fixed"
)

// Pose is a translation in metres after a rotation, whose roll, pitch and yaw in radians
// turn about the fixed axes x, y and z in this order.
type Pose struct{ XYZ, RPY [3]float64 }

// Limit is what a joint can do, in radians or metres.
type Limit struct{ Lower, Upper, Velocity, Effort float64 }

// Mimic has a joint follow another, at Multiplier times its position plus Offset.
type Mimic struct {
	Joint              string
	Multiplier, Offset float64
}
