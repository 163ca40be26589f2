// Package robots contains the descriptions of three robots: an arm with seven joints, an
// arm with six joints, and a hand on a rail, which is a tree with three end points.
package robots

import (
	"bytes"
	"embed"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
)

//go:embed *.urdf
var files embed.FS

// Names returns the names of the robots.
func Names() []string { return []string{"arm6", "arm7", "hand"} }

// Load reads the description of a robot. The error for an unknown name wraps
// fs.ErrNotExist.
func Load(name string) (*urdf.Robot, error) {
	text, err := files.ReadFile(name + ".urdf")
	if err != nil {
		return nil, err
	}
	return urdf.Parse(bytes.NewReader(text))
}
