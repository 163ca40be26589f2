// Package urdf reads robot descriptions in the Unified Robot Description Format: a tree
// of links and joints. It skips shapes, masses and elements for simulators. It does not
// panic on any input, and its memory use is bounded.
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
	Line int // line of the file
}

// Joint connects a child link to its parent.
type Joint struct {
	Name          string
	Type          Type
	Parent, Child string     // names of links
	Origin        Pose       // the joint's pose in the frame of the parent link
	Axis          [3]float64 // direction in the joint's frame, of length 1; x by default
	// Limit is nil for joints without limits, including all continuous and fixed joints.
	Limit *Limit
	Mimic *Mimic // nil if the joint has a position of its own
	Line  int    // line of the file
}

// Moves reports whether a joint has its own position. Fixed joints and joints that mimic
// others do not.
func (j *Joint) Moves() bool { return j.Type != Fixed && j.Mimic == nil }

// Type is the way a joint moves.
type Type string

// Joint types. The format's floating and planar joints are not supported.
const (
	Revolute   Type = "revolute"   // turns about its axis, within limits
	Continuous Type = "continuous" // turns about its axis
	Prismatic  Type = "prismatic"  // slides along its axis, within limits
	Fixed      Type = "fixed"
)

// Pose is a rotation followed by a translation in meters. Roll, pitch and yaw, in
// radians, turn about the fixed axes x, y and z in this order.
type Pose struct{ XYZ, RPY [3]float64 }

// Limit contains the limits of a joint. Positions are in radians or meters.
type Limit struct{ Lower, Upper, Velocity, Effort float64 }

// Mimic makes a joint follow another joint: its position is Multiplier times the other
// joint's position, plus Offset.
type Mimic struct {
	Joint              string
	Multiplier, Offset float64
}
