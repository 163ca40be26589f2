package urdf

import (
	"errors"
	"math"
)

// joint reads a joint element. Missing attributes get the defaults of the file format.
func (p *parser) joint(e element) (j Joint, err error) {
	j = Joint{Axis: [3]float64{1, 0, 0}, Line: e.line}
	kind, err := e.text("type")
	if err != nil {
		return j, err
	}
	if j.Name, err = e.text("name"); err != nil {
		return j, err
	}
	switch j.Type = Type(kind); j.Type {
	case Revolute, Continuous, Prismatic, Fixed:
	case "floating", "planar":
		return j, e.fail(ErrUnsupported, "a %s joint", kind)
	default:
		return j, e.fail(ErrValue, "unknown joint type %q", kind)
	}
	seen := map[string]bool{}
	err = p.children(e, func(c element) error {
		name := c.Name.Local
		read, ok := parts[name]
		if !ok {
			return p.skip(c) // such as dynamics, calibration and safety_controller
		}
		if seen[name] {
			return e.fail(ErrElement, "duplicate <%s> on line %d", name, c.line)
		}
		seen[name] = true
		return errors.Join(read(c, &j), p.skip(c))
	})
	switch {
	case err != nil:
		return j, first(err)
	case j.Parent == "":
		return j, e.fail(ErrElement, "<parent> is missing")
	case j.Child == "":
		return j, e.fail(ErrElement, "<child> is missing")
	}
	if j.Type == Fixed {
		j.Limit, j.Mimic = nil, nil
	}
	if j.Type == Continuous {
		j.Limit = nil
	}
	return j, nil
}

// parts maps each kind of element within a joint to the function that reads it.
var parts = map[string]func(element, *Joint) error{
	"parent": func(e element, j *Joint) (err error) {
		j.Parent, err = e.text("link")
		return err
	},
	"child": func(e element, j *Joint) (err error) {
		j.Child, err = e.text("link")
		return err
	},
	"origin": func(e element, j *Joint) error {
		return errors.Join(e.vector("xyz", &j.Origin.XYZ), e.vector("rpy", &j.Origin.RPY))
	},
	"axis":  axis,
	"limit": limit,
	"mimic": func(e element, j *Joint) (err error) {
		m := &Mimic{Multiplier: 1}
		m.Joint, err = e.text("joint")
		j.Mimic = m
		return errors.Join(err, e.number("multiplier", &m.Multiplier), e.number("offset", &m.Offset))
	},
}

func axis(e element, j *Joint) error {
	if err := e.vector("xyz", &j.Axis); err != nil {
		return err
	}
	largest := max(math.Abs(j.Axis[0]), math.Abs(j.Axis[1]), math.Abs(j.Axis[2]))
	if largest == 0 {
		return e.fail(ErrValue, "an axis of length 0 has no direction")
	}
	// Divide by the largest number first, so that the squares do not overflow.
	x, y, z := j.Axis[0]/largest, j.Axis[1]/largest, j.Axis[2]/largest
	length := math.Sqrt(x*x + y*y + z*z)
	j.Axis = [3]float64{x / length, y / length, z / length}
	return nil
}

func limit(e element, j *Joint) error {
	l := &Limit{}
	j.Limit = l
	err := errors.Join(e.number("lower", &l.Lower), e.number("upper", &l.Upper),
		e.number("velocity", &l.Velocity), e.number("effort", &l.Effort))
	if err == nil && l.Lower > l.Upper {
		return e.fail(ErrValue, "lower %g is above upper %g", l.Lower, l.Upper)
	}
	return err
}

// first returns the first of several joined errors. The others only repeat it.
func first(err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return err
		}
		err = joined.Unwrap()[0]
	}
}
